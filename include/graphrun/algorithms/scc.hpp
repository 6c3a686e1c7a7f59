// SPDX-License-Identifier: Apache-2.0
// Strongly connected components: largest sets of vertices that all reach each other along out-edges.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// The smallest vertex of each vertex's strong component.
struct SccOutput {
  std::vector<VertexId> labels;
};
void describe(const SccOutput& output, AnswerData& answer);

/// Of directed graphs: components of undirected ones are CcRun's. Takes 12 bytes a vertex, and four frontiers. An edge is
/// examined twice by the first search each way, and a few times if both of its ends are in small components. The expected number
/// of rounds is logarithmic, for colors are random.
template <class Exec, class View>
class SccRun {
 public:
  /// Throws UsageError when the graph has no in-edges, or a vertex more edges than a VertexId counts.
  SccRun(Exec& exec, const GraphView<View>& graph);

  /// This is the region that is timed.
  AlgoStats run();
  SccOutput output() { return {exec_.download(components_)}; }

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
    Array<std::uint32_t> visited;  ///< a bit for each vertex that the first search reaches
  };

  void count(const EdgeMapStats& step);
  /// Makes components of vertices without edges of both directions. Returns the vertex whose smaller degree is the largest;
  /// kNoVertex: none is open.
  VertexId begin();
  /// Searches from `pivot`, and marks the vertices that it reaches.
  void reach(Side& side, const Side& opposite, VertexId pivot);
  /// Removes vertices without an edge from their own group, one round after another: these are components alone. `side` has the
  /// edges that lead away from them, `opposite` the edges that lead to them.
  void peel(Side& side, Side& opposite);
  /// Finds the component of the largest color of each group, and makes colors the groups of the other vertices.
  void color();
  void name_by_smallest();

  Exec& exec_;
  GraphView<View> graph_;
  Array<VertexId> groups_;      // vertices of different groups are in different components; of those in none yet
  Array<VertexId> components_;  // a vertex of each one's component; kNoVertex: it is open
  Array<VertexId> work_;        // edges from the own group, or colors, or smallest members
  Side out_;
  Side in_;
  std::uint64_t open_ = 0;  // vertices whose components are not known
  AlgoStats stats_;
  Progress* progress_ = nullptr;
};

}  // namespace graphrun::inline GR_IDS
