// SPDX-License-Identifier: Apache-2.0
// Topological order of a directed graph without cycles, as levels (Kahn, Communications of the ACM 5, 1962).
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// The most edges of a path that ends at each vertex. Vertices by ascending levels are in topological order.
struct TopoOutput {
  std::vector<VertexId> levels;
};
void describe(const TopoOutput& output, AnswerData& answer);

/// Takes 12 bytes a vertex, and two frontiers. Reads each edge twice: to count in-edges, and when its source is removed.
template <class Exec, class View>
class TopoRun {
 public:
  TopoRun(Exec& exec, const GraphView<View>& graph);

  /// This is the region that is timed.
  AlgoStats run();
  TopoOutput output() { return {exec_.download(levels_)}; }
  /// Returns a vertex on a cycle, the same one for all executors; kNoVertex: there is none, and levels are right. Collective.
  VertexId find_cycle();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  Array<EdgeId> in_edges_;  // from vertices that are not removed
  Array<VertexId> levels_;  // kNoVertex: not removed
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> next_;
  std::uint64_t removed_ = 0;  // vertices
};

}  // namespace graphrun::inline GR_IDS
