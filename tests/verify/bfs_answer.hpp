// SPDX-License-Identifier: Apache-2.0
// A right answer of a search, for tests that change it.
#pragma once

#include <vector>

#include "graphrun/verify/verify.hpp"

namespace graphrun::test {

/// Levels by the oracle, and as parent of each vertex the last one that could be.
inline BfsOutput bfs_answer(const Graph& graph, VertexId source) {
  BfsOutput output{source, std::vector<VertexId>(graph.num_vertices(), kNoVertex), verify::serial_bfs_levels(graph.out, source)};
  for (VertexId u = 0; u < graph.num_vertices(); ++u) {
    if (output.levels[u] == kUnreachedLevel) continue;
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
      const VertexId v = graph.out.neighbours[e];
      if (output.levels[v] == output.levels[u] + 1) output.parents[v] = u;
    }
  }
  if (graph.num_vertices() > 0) output.parents[source] = source;
  return output;
}

}  // namespace graphrun::test
