// Shortest paths that read each list only as far as it can matter.
#pragma once

#include <cstdint>

#include "algorithms/sssp/prefix_functors.hpp"
#include "graphrun/algorithms/sssp.hpp"

namespace graphrun::inline GR_IDS {

/// Shortest paths over records in the order of their weights (GraphView::records), of which each list is read only as far as it
/// can still lower a distance: forward by settled vertices, and backward by those that are not, once few of these are left (after
/// Wilson and Zwick, FOCS 2013; Chakaravarthy et al., IPDPS 2014, choose per bucket).
template <class Exec, class View, class Weight, class Distance>
class PrefixRun : public Paths<Exec, Distance> {
 public:
  PrefixRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options, const WeightStats& weights);

  AlgoStats run(VertexId source);
  double delta() const { return delta_; }

 private:
  using Push = sssp::PushPrefixes<Weight, Distance>;
  enum class Next { done, pull, finish };
  /// What a search knows between buckets.
  struct Books {
    AlgoStats stats;
    double share = 0.5;     ///< pulling is thought of when vertices that are not settled have this share of all edges
    double unread = 0;      ///< records that settled vertices have not read
    EdgeId open_edges = 0;  ///< of vertices that are not settled
    double open = 0;        ///< of these, the vertices that are reached, once all are that can be
    EdgeId apart = 0;       ///< edges of those that cannot be
    double bounded = 0;     ///< how many they were when the bound was last taken
  };

  /// Runs buckets up to one that is to be followed by something else.
  Next search(Push& push, Books& books);
  /// Whether pulling is worth it, by what it is estimated to read; makes plan_. Sums up to `current` were pushed.
  bool plan_pull(const Push& push, double current, double unread);
  /// Settled vertices are finished with, and the others know the best that those offer. Returns whether all vertices that can be
  /// reached are.
  bool pull(const Push& push, Books& books);
  /// Whether the rest is better done at once than bucket by bucket.
  bool is_nearly_done(const Push& push, const Books& books) const;
  /// Counts the vertices that are reached and not settled, and bounds the search by the largest distance of theirs.
  void bound_open(Push& push, Books& books);

  GraphView<View> graph_;
  WeightStats weights_;
  double delta_;
  OrderedQueueOf<Exec> queue_;
  FrontierOf<Exec> open_;  ///< whose lists are to be read on
  sssp::Bands<Distance> bands_;
  typename Exec::template Array<sssp::PrefixState<Weight, Distance>> states_;
  typename Exec::template Array<sssp::PullPlan<Distance>> plan_;
  typename Exec::template Array<std::uint32_t> lowered_;  ///< Relax::lowered; empty where no other rank asks
};

}  // namespace graphrun::inline GR_IDS
