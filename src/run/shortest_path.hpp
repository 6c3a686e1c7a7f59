// One of the shortest paths of an answer.
#pragma once

#include "graphrun/graph/graph.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Returns a shortest path of the answer of bfs or sssp to `to`. That of bfs follows parents; that of sssp is found by a search
/// over arcs u -> v that are tight, distance(u) + weight = distance(v), which reads each list at most once and takes two ids a
/// vertex. Floats may differ by their rounding. Throws RunError where the answer has no path to a vertex that it reached.
ShortestPath shortest_path(const Graph& graph, const Output& output, VertexId to);

}  // namespace graphrun::inline GR_IDS
