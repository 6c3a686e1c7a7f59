// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Ascending lists, one after another. List v is entries[begins[v] .. begins[v+1]).
struct Upwards {
  std::vector<EdgeId> begins;
  std::vector<VertexId> entries;
  std::span<const VertexId> list(VertexId v) const {
    return std::span(entries).subspan(begins[v], begins[std::size_t{v} + 1] - begins[v]);
  }
};

/// Returns the edges of an undirected graph, each once, from the end of smaller degree to the other, ids deciding on ties. Takes
/// 8 bytes a vertex and an id an edge.
Upwards edges_upwards(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  const auto for_each_above = [&](VertexId v, const auto& use) {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const VertexId u = csr.neighbours[e];
      if (std::pair(csr.degree(u), u) > std::pair(csr.degree(v), v)) use(u);
    }
  };
  Progress progress("lists of larger neighbours", 2 * csr.num_edges());
  EdgeId edges = 0;
  for (VertexId v = 0; v < n; ++v) {
    progress.advance(csr.degree(v));
    for_each_above(v, [&](VertexId) { ++edges; });
  }
  Upwards above;
  above.entries.reserve(edges);
  above.begins.reserve(std::size_t{n} + 1);
  above.begins.push_back(0);
  for (VertexId v = 0; v < n; ++v) {
    progress.advance(csr.degree(v));
    for_each_above(v, [&](VertexId u) { above.entries.push_back(u); });
    const auto begin = above.entries.begin() + static_cast<std::ptrdiff_t>(above.begins.back());
    std::sort(begin, above.entries.end());
    above.entries.erase(std::unique(begin, above.entries.end()), above.entries.end());
    above.begins.push_back(above.entries.size());
  }
  return above;
}

}  // namespace

std::uint64_t serial_triangles(const Csr& csr) {
  const Upwards above = edges_upwards(csr);
  const VertexId n = csr.num_vertices();
  Progress progress("triangles anew", n);
  std::vector<bool> marked(n, false);
  std::uint64_t triangles = 0;
  for (VertexId v = 0; v < n; ++v) {
    progress.advance(1);
    const auto list = above.list(v);
    for (const VertexId u : list) marked[u] = true;
    for (const VertexId u : list)
      triangles += static_cast<std::uint64_t>(std::ranges::count_if(above.list(u), [&](VertexId w) { return marked[w]; }));
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
