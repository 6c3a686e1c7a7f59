// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

constexpr double kScoreSlack = 1e-7;  // of a score

/// Shortest paths to each vertex: counts[v] * 2^(512 * scales[v]). Meshes have more than a double counts.
class Paths {
 public:
  explicit Paths(VertexId n) : counts_(n, 0.0), scales_(n, 0) {}

  void set_one(VertexId v) { counts_[v] = 1; }
  /// Adds the count of u to the count of v.
  void add(VertexId u, VertexId v) {
    if (counts_[v] == 0 || scales_[v] < scales_[u]) {
      counts_[v] = scales_[u] - scales_[v] == 1 ? counts_[v] / kScale : 0;
      scales_[v] = scales_[u];
    }
    const std::int32_t apart = scales_[v] - scales_[u];
    if (apart <= 1) counts_[v] += apart == 0 ? counts_[u] : counts_[u] / kScale;
    if (counts_[v] < kScale) return;
    counts_[v] /= kScale;
    ++scales_[v];
  }
  /// Returns the count of u divided by the count of v, which is not smaller.
  double share(VertexId u, VertexId v) const {
    const std::int32_t apart = scales_[v] - scales_[u];
    return apart > 2 ? 0 : std::ldexp(counts_[u] / counts_[v], -512 * apart);
  }

 private:
  static constexpr double kScale = 0x1p512;
  std::vector<double> counts_;
  std::vector<std::int32_t> scales_;
};

/// Adds the dependencies of all vertices on `source` to `sums`: a queue of reached vertices, and back from its end.
void add_dependencies(const Csr& csr, VertexId source, bool counts_source, std::vector<double>& sums) {
  const VertexId n = csr.num_vertices();
  const VertexId* neighbours = csr.neighbours.data();
  std::vector<std::uint32_t> levels(n, kUnreachedLevel);
  Paths paths(n);
  std::vector<VertexId> queue(n);
  VertexId reached = 0;
  queue[reached++] = source;
  levels[source] = 0;
  paths.set_one(source);
  Progress progress("dependencies anew", 2 * csr.num_edges());
  for (VertexId next = 0; next < reached; ++next) {
    const VertexId u = queue[next];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (levels[v] == kUnreachedLevel) {
        levels[v] = levels[u] + 1;
        queue[reached++] = v;
      }
      if (levels[v] == levels[u] + 1) paths.add(u, v);
    }
  }
  std::vector<double> dependencies(n, 0.0);
  for (VertexId i = reached; i-- > 0;) {
    const VertexId u = queue[i];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (levels[v] == levels[u] + 1) dependencies[u] += paths.share(u, v) * (1 + dependencies[v]);
    }
    if (i > 0 || counts_source) sums[u] += dependencies[u];
  }
}

}  // namespace

BcOutput serial_bc(const Graph& graph, const std::vector<std::uint64_t>& sources, BcDefinition definition, bool sampled) {
  const VertexId n = graph.num_vertices();
  BcOutput output{std::vector<double>(n, 0.0), sources, definition, 0};
  const bool by_gap = definition == BcDefinition::gap;
  const std::uint64_t count = sources.empty() ? n : sources.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t source = sources.empty() ? i : sources[i];
    if (source >= n) raise<UsageError>("source {} is not below the number of vertices, {}", source, n);
    add_dependencies(graph.out, static_cast<VertexId>(source), by_gap, output.scores);
  }
  for (const double sum : output.scores) output.largest = std::max(output.largest, sum);
  double factor = 1;
  if (by_gap) {
    factor = output.largest > 0 ? 1 / output.largest : 1;
  } else if (definition == BcDefinition::normalized) {
    const auto pairs = (static_cast<double>(n) - 1) * (static_cast<double>(n) - 2);
    factor = n > 2 ? 1 / pairs : 1;
    if (sampled) factor *= static_cast<double>(n) / static_cast<double>(count);
  } else if (graph.symmetric) {
    factor = 0.5;
  }
  for (double& score : output.scores) score *= factor;
  return output;
}

Verdict check_bc(const Graph& graph, const BcOutput& output, const std::vector<std::uint64_t>& sources, BcDefinition definition,
                 bool sampled) {
  if (const Verdict sized = check_size("scores", output.scores.size(), graph.num_vertices()); !sized) return sized;
  if (output.sources != sources) return wrong("the scores are of paths from other sources than those that were asked for");
  if (output.definition != definition)
    return wrong("the scores are {}, and not {}", name_of(output.definition), name_of(definition));
  const BcOutput expected = serial_bc(graph, sources, definition, sampled);
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
