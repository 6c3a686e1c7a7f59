// SPDX-License-Identifier: Apache-2.0
// Shortest paths that read each list only while it can matter.
#pragma once

#include <cstdint>

#include "algorithms/sssp/prefix_functors.hpp"
#include "graphrun/algorithms/sssp.hpp"

namespace graphrun::inline GR_IDS {

/// Shortest paths over records sorted by weight (GraphView::records). Reads each list only while it can lower a distance: forward
/// from settled vertices, and backward from the others once few remain (after Wilson and Zwick, FOCS 2013; Chakaravarthy et al.,
/// IPDPS 2014, choose per bucket).
template <class Exec, class View, class Weight, class Distance>
class PrefixRun : public Paths<Exec, Distance> {
 public:
  PrefixRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options, const WeightStats& weights);

  AlgoStats run(VertexId source);
  double delta() const { return delta_; }

 private:
  using Push = sssp::PushPrefixes<Weight, Distance>;
  enum class Next { done, pull, finish };
  /// State of a search between buckets.
  struct Books {
    AlgoStats stats;
    double share = 0.5;     ///< pulling is considered when unsettled vertices have this share of all edges
    double unread = 0;      ///< records that settled vertices have not read
    EdgeId open_edges = 0;  ///< of unsettled vertices
    double open = 0;        ///< number of reached unsettled vertices, once all reachable ones are reached
    EdgeId apart = 0;       ///< edges of the unreachable vertices
    double bounded = 0;     ///< `open` at the last bound
  };

  /// Runs buckets until another kind of step should follow.
  Next search(Push& push, Books& books);
  /// Returns whether a pull's estimated reads are worth it; makes plan_. Sums up to `current` were pushed.
  bool plan_pull(const Push& push, double current, double unread);
  /// Finishes settled vertices, and gives the others their best offers. Returns whether all reachable vertices are reached.
  bool pull(const Push& push, Books& books);
  /// Returns whether the rest is faster at once than bucket by bucket.
  bool is_nearly_done(const Push& push, const Books& books) const;
  /// Counts the reached unsettled vertices, and bounds the search by their largest distance.
  void bound_open(Push& push, Books& books);

  GraphView<View> graph_;
  WeightStats weights_;
  double delta_;
  OrderedQueueOf<Exec> queue_;
  FrontierOf<Exec> open_;  ///< lists to read on
  sssp::Bands<Distance> bands_;
  typename Exec::template Array<sssp::PrefixState<Weight, Distance>> states_;
  typename Exec::template Array<sssp::PullPlan<Distance>> plan_;
  typename Exec::template Array<std::uint32_t> lowered_;  ///< Relax::lowered; empty for a single rank
};

}  // namespace graphrun::inline GR_IDS
