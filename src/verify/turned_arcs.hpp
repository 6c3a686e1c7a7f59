// SPDX-License-Identifier: Apache-2.0
// In-edges for oracles of directed graphs.
#pragma once

#include <cstddef>
#include <vector>

#include "graphrun/graph/graph.hpp"

namespace graphrun::verify::inline GR_IDS {

/// The sources of the arcs into each vertex v: sources[begins[v] .. begins[v+1]).
struct TurnedArcs {
  std::vector<EdgeId> begins;
  std::vector<VertexId> sources;
};

inline TurnedArcs turn(const Csr& csr) {
  const std::size_t n = csr.num_vertices();
  TurnedArcs turned{std::vector<EdgeId>(n + 1), std::vector<VertexId>(csr.num_edges())};
  for (EdgeId e = 0; e < csr.num_edges(); ++e) ++turned.begins[csr.neighbours[e]];
  EdgeId sum = 0;
  for (EdgeId& begin : turned.begins) sum += begin, begin = sum;  // where each ends; the loop below goes down from there
  for (std::size_t u = n; u-- > 0;) {
    for (EdgeId e = csr.offsets[u + 1]; e-- > csr.offsets[u];)
      turned.sources[--turned.begins[csr.neighbours[e]]] = static_cast<VertexId>(u);
  }
  return turned;
}

}  // namespace graphrun::verify::inline GR_IDS
