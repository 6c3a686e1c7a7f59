// SPDX-License-Identifier: Apache-2.0
// Coreness of each vertex: the largest k whose k-core has it (Seidman, Social Networks 5, 1983).
#pragma once

#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// The coreness of each vertex. Every edge counts, in both directions, except for self loops.
struct KcoreOutput {
  std::vector<VertexId> cores;
};
void describe(const KcoreOutput& output, AnswerData& answer);

/// Takes 16 bytes a vertex, and two frontiers; of a directed graph four. A level costs its remaining vertices, so that all levels
/// cost at most the sum of all coreness, and each edge is examined once, after a pass that counts self loops.
template <class Exec, class View>
class KcoreRun {
 public:
  /// `graph` has in-edges unless it is symmetric. Throws UsageError when a vertex has more edges than a VertexId counts.
  KcoreRun(Exec& exec, const GraphView<View>& graph);

  /// This is the region that is timed.
  AlgoStats run();
  KcoreOutput output() { return {exec_.download(cores_)}; }

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;
  using Frontier = FrontierOf<Exec>;

  /// Edges of a direction.
  struct Side {
    Rows rows;
    View edges;
    Frontier frontier;
    Frontier next;
  };

  /// Counts the edges of each vertex. Returns the edges that it examined.
  std::uint64_t count_edges();
  /// Drops vertices with fewer than `k` remaining edges from rest_. Returns the fewest edges of another one; kNoVertex: none is
  /// left.
  VertexId drop_below(VertexId k);
  /// Makes the vertices of rest_ with at most k remaining edges the frontier.
  void begin_level(VertexId k);
  /// Makes the first `count` vertices of spare_ the frontier.
  void set_frontier(VertexId count);
  /// Removes the frontier, which becomes the vertices with at most k remaining edges. Returns the edges that it examined.
  std::uint64_t peel(VertexId k);

  Exec& exec_;
  GraphView<View> graph_;
  Array<VertexId> left_;  // edges to vertices that are not removed
  Array<VertexId> cores_;
  Array<VertexId> rest_;  // vertices of this level and later ones
  Array<VertexId> spare_;
  Array<VertexId> counts_;  // the least edges, and entries written
  VertexId remaining_ = 0;  // entries of rest_
  std::vector<Side> sides_;
};

}  // namespace graphrun::inline GR_IDS
