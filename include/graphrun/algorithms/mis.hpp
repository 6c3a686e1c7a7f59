// SPDX-License-Identifier: Apache-2.0
// A maximal independent set of an undirected graph: the first one in a random order of vertices (Luby, SIAM Journal on Computing
// 15, 1986; Blelloch, Fineman and Shun, SPAA 2012).
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Returns whether `u` comes before `v` in the order, which is the same for ids of both widths.
GR_HD inline bool mis_takes_before(VertexId u, VertexId v) { return splitmix64(u) < splitmix64(v); }

/// 1 for each member of the set, 0 for each other vertex.
struct MisOutput {
  std::vector<std::uint32_t> members;
};
void describe(const MisOutput& output, AnswerData& answer);

/// Takes 8 bytes a vertex, and two frontiers. Reads each list twice: to count earlier neighbours, and when its vertex is decided.
template <class Exec, class View>
class MisRun {
 public:
  /// `graph` is symmetric. Throws UsageError when a vertex has more edges than a VertexId counts.
  MisRun(Exec& exec, const GraphView<View>& graph);

  /// This is the region that is timed.
  AlgoStats run();
  MisOutput output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  Array<VertexId> earlier_;      // edges to earlier neighbours that are not excluded
  Array<std::uint32_t> states_;  // mis::kOpen, kMember or kExcluded
  FrontierOf<Exec> taken_;
  FrontierOf<Exec> excluded_;
};

}  // namespace graphrun::inline GR_IDS
