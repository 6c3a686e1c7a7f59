#include <algorithm>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// The edges of an undirected graph, each once, from the end of smaller degree to the other, ids deciding on ties.
std::vector<std::vector<VertexId>> edges_upwards(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  const auto is_above = [&](VertexId u, VertexId v) { return std::pair(csr.degree(u), u) > std::pair(csr.degree(v), v); };
  std::vector<std::vector<VertexId>> above(n);
  Progress progress("lists of larger neighbours", csr.num_edges());
  for (VertexId v = 0; v < n; ++v) {
    progress.advance(csr.degree(v));
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      if (is_above(csr.neighbours[e], v)) above[v].push_back(csr.neighbours[e]);
    }
    std::sort(above[v].begin(), above[v].end());
    above[v].erase(std::unique(above[v].begin(), above[v].end()), above[v].end());
  }
  return above;
}

}  // namespace

std::uint64_t serial_triangles(const Csr& csr) {
  const std::vector<std::vector<VertexId>> above = edges_upwards(csr);
  Progress progress("triangles anew", csr.num_vertices());
  std::vector<bool> marked(csr.num_vertices(), false);
  std::uint64_t triangles = 0;
  for (const std::vector<VertexId>& list : above) {
    progress.advance(1);
    for (const VertexId u : list) marked[u] = true;
    for (const VertexId u : list)
      triangles +=
          static_cast<std::uint64_t>(std::count_if(above[u].begin(), above[u].end(), [&](VertexId w) { return marked[w]; }));
    for (const VertexId u : list) marked[u] = false;
  }
  return triangles;
}

Verdict check_tc(const Graph& graph, const TcOutput& output) {
  if (!graph.symmetric) return wrong("the graph is directed, and triangles are those of undirected graphs");
  const std::uint64_t expected = serial_triangles(graph.out);
  if (output.triangles == expected) return {};
  return wrong("{} triangles, expected {}", output.triangles, expected);
}

}  // namespace graphrun::verify::inline GR_IDS
