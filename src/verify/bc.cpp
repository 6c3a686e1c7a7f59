
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

constexpr double kScoreSlack = 1e-7;  // of a score

/// Adds the dependencies of all vertices on `source` to `sums`: a queue of those that are reached, and back from its end.
void add_dependencies(const Csr& csr, VertexId source, std::vector<double>& sums) {
  const VertexId n = csr.num_vertices();
  const VertexId* neighbours = csr.neighbours.data();
  std::vector<std::uint32_t> levels(n, kUnreachedLevel);
  std::vector<double> paths(n, 0.0);
  std::vector<VertexId> queue{source};
  levels[source] = 0;
  paths[source] = 1;
  Progress progress("dependencies anew", 2 * csr.num_edges());
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const VertexId u = queue[next];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (levels[v] == kUnreachedLevel) {
        levels[v] = levels[u] + 1;
        queue.push_back(v);
      }
      if (levels[v] == levels[u] + 1) paths[v] += paths[u];
    }
  }
  std::vector<double> dependencies(n, 0.0);
  for (std::size_t i = queue.size(); i-- > 0;) {
    const VertexId u = queue[i];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (levels[v] == levels[u] + 1) dependencies[u] += paths[u] / paths[v] * (1 + dependencies[v]);
    }
    sums[u] += dependencies[u];
  }
}

}  // namespace

BcOutput serial_bc(const Csr& csr, const std::vector<std::uint64_t>& sources) {
  BcOutput output{std::vector<double>(csr.num_vertices(), 0.0), sources, 0};
  for (const std::uint64_t source : sources) {
    if (source >= csr.num_vertices())
      raise<UsageError>("source {} is not below the number of vertices, {}", source, csr.num_vertices());
    add_dependencies(csr, static_cast<VertexId>(source), output.scores);
  }
  for (const double sum : output.scores) output.largest = std::max(output.largest, sum);
  if (output.largest > 0) {
    for (double& score : output.scores) score /= output.largest;
  }
  return output;
}

Verdict check_bc(const Graph& graph, const BcOutput& output, const std::vector<std::uint64_t>& sources) {
  if (const Verdict sized = check_size("scores", output.scores.size(), graph.num_vertices()); !sized) return sized;
  if (output.sources != sources) return wrong("the scores are of paths from other sources than those that were asked for");
  const BcOutput expected = serial_bc(graph.out, sources);
  const auto differs = [](double found, double right) { return !(std::abs(found - right) <= kScoreSlack * right); };
  if (differs(output.largest, expected.largest)) {
    return wrong("the largest sum of dependencies is {:.17g}, expected {:.17g}", output.largest, expected.largest);
  }
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (!differs(output.scores[v], expected.scores[v])) continue;
    return wrong("vertex {}: score {:.17g}, expected {:.17g}", graph.names.text(v), output.scores[v], expected.scores[v]);
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
