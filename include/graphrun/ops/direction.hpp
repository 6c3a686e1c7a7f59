// SPDX-License-Identifier: Apache-2.0
// The choice between push and pull of searches that leave a list at the first edge from the frontier. It compares the edges each
// would examine. Push: the edges of the frontier. Pull: a vertex scans until it meets the frontier. If the frontier owns the
// share p of all edge ends, that takes about 1/p edges, at most its degree. (Beamer et al. switch on fixed ratios; over a link,
// where an edge costs its bytes, the estimate saves a level of 1.6 GB on uniform random graphs.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Vertices with an in-edge that a search has not reached, and their edges.
struct Unvisited {
  std::uint64_t vertices;
  EdgeId edges;

  GR_HD void leave(std::uint64_t visited, EdgeId visited_edges) {
    vertices -= visited < vertices ? visited : vertices;
    edges -= visited_edges < edges ? visited_edges : edges;
  }
};

/// `frontier_edges`: of the `num_edges` of a graph of `num_vertices`.
GR_HD inline bool better_to_pull(const DirectionCosts& cost, EdgeId frontier_edges, const Unvisited& unvisited,
                                 std::uint64_t num_vertices, EdgeId num_edges) {
  if (frontier_edges == 0) return false;
  const double push = cost.push_edge * static_cast<double>(frontier_edges);
  const double share = static_cast<double>(frontier_edges) / static_cast<double>(num_edges);
  const double degree =
      static_cast<double>(unvisited.edges) / static_cast<double>(unvisited.vertices + (unvisited.vertices == 0));
  const double scanned = cost.whole_lists || degree * share < 1 ? degree : 1 / share;
  const double pull = cost.look * static_cast<double>(num_vertices) +
                      static_cast<double>(unvisited.vertices) *
                          (cost.pull_edge * scanned < cost.pull_vertex ? cost.pull_vertex : cost.pull_edge * scanned);
  return pull < push;
}

/// How a search chooses among its steps.
struct SearchChoice {
  DirectionCosts costs;
  Unvisited reachable;  ///< a bound: vertices with an in-edge
  EdgeId num_edges;
  bool pushes_only;
  bool knows_all;  ///< whether `reachable` is exact: a step is not made once all were visited
};

/// Pairs for which search_on(exec, graph, source, choice, f, open, frontier, next) is there, in cuda_search.cuh.
template <class Exec, class View>
inline constexpr bool SearchesByOneKernel = std::is_same_v<View, DirectView> && !requires(Exec & exec) {
  exec.pool();
};

/// Returns whether a GPU reads edges from its own or managed memory, from the beginning on.
template <class Exec, class View>
bool is_near([[maybe_unused]] const GraphView<View>& graph) {
  if constexpr (SearchesByOneKernel<Exec, View>) return !graph.out_edges.is_far();
  return false;
}
/// Returns whether one kernel searches this graph: over such edges, by one GPU.
template <class Exec, class View>
bool searches_by_one_kernel([[maybe_unused]] const Exec& exec, const GraphView<View>& graph) {
  if constexpr (SearchesByOneKernel<Exec, View>) return is_near<Exec>(graph) && exec.part().is_single_rank();
  return false;
}

inline constexpr EdgeId kSearchPiece = 256;          // edges of a list that one warp walks there
inline constexpr std::uint64_t kSearchSteps = 4096;  // the host checks at least so often

/// Returns the most items that a search takes in the queue of its frontier (CudaFrontier's spare_items).
template <class Exec, class View>
std::uint64_t most_items(const Exec& exec, const GraphView<View>& graph) {
  if (searches_by_one_kernel(exec, graph)) return graph.num_vertices() + graph.num_edges / kSearchPiece;
  return graph.in.num_hub_chunks;
}

}  // namespace graphrun::inline GR_IDS
