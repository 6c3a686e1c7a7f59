// SPDX-License-Identifier: Apache-2.0
// PageRank with uniform teleport, or with restarts at a set of vertices (personalised). The score of dangling vertices is
// distributed by the teleport vector.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class PagerankVariant {
  extrapolated,  ///< pull that conserves its mass, with reduced-rank extrapolation after every fifth sweep
  pull,          ///< every vertex gathers over the transpose, using new values at once (Gauss-Seidel)
  push,          ///< vertices with enough residual push it to their neighbours; needs no transpose
  synchronous,   ///< exactly max_iterations sweeps in 64-bit floats, each of the last one's scores (LDBC Graphalytics)
};

template <>
struct ChoicesOf<PagerankVariant> {
  static constexpr Choice<PagerankVariant> kAll[] = {{"extrapolated", PagerankVariant::extrapolated},
                                                     {"pull", PagerankVariant::pull},
                                                     {"push", PagerankVariant::push},
                                                     {"synchronous", PagerankVariant::synchronous}};
};

enum class PagerankStop {
  sum,      ///< of changes, relative to the sum of scores (GAP's rule)
  largest,  ///< of the true residuals by vertex, relative to the mean score, 1/n; one more pass certifies it
};

template <>
struct ChoicesOf<PagerankStop> {
  static constexpr const char* kWhat = "rule to stop by";
  static constexpr Choice<PagerankStop> kAll[] = {{"sum", PagerankStop::sum}, {"largest", PagerankStop::largest}};
};

struct PagerankOptions {
  PagerankVariant variant = PagerankVariant::extrapolated;
  PagerankStop stop = PagerankStop::sum;  ///< the quantity that the tolerance bounds
  double damping = 0.85;
  double tolerance = 1e-4;
  std::uint64_t max_iterations = 1000;       ///< sweeps; pushes along all edges' number count as one
  std::vector<std::uint64_t> restarts = {};  ///< teleport targets with equal probability; empty: all vertices
  std::vector<double> shares = {};           ///< of each restart, in proportion, by push; empty: alike
  bool weighted = false;                     ///< a walk follows edges in proportion to their weights, by push
  bool certify = false;                      ///< ends with one more pass over the edges, for the residual of the returned scores
};

/// Returns whether only push can do it.
inline bool requires_push(const PagerankOptions& options) { return options.weighted || !options.shares.empty(); }

/// Returns whether scores are iterated in 32-bit floats. Below this tolerance rounding is as large as the changes; one hub's
/// rounding exceeds any useful bound on a single vertex.
inline bool is_single_precision(const PagerankOptions& options) {
  return options.stop == PagerankStop::sum && options.tolerance >= 1e-6 && options.variant != PagerankVariant::synchronous &&
         !requires_push(options);
}

/// Returns whether the run ends with a pass for the true residual.
inline bool is_certified(const PagerankOptions& options) { return options.certify || options.stop == PagerankStop::largest; }

/// Returns whether the run gathers over in-edges.
inline bool reads_in_edges(const PagerankOptions& options) {
  return (options.variant != PagerankVariant::push && !requires_push(options)) || is_certified(options);
}

/// Returns whether the run pushes along out-edges.
inline bool pushes_rank(const PagerankOptions& options) {
  return options.variant == PagerankVariant::push || options.stop == PagerankStop::largest;
}

}  // namespace graphrun

namespace graphrun::pagerank::inline GR_IDS {
template <class Score>
struct Elsewhere;
}

namespace graphrun::inline GR_IDS {

/// `Score` is float or double: the type of scores while iterating. Use double for tolerances below 1e-6.
template <class Exec, class View, class Score>
class PagerankRun {
 public:
  /// `weights`: of the view's edges, where the run is weighted. Throws UsageError for a restart that is no vertex, and for
  /// missing in-edges that the variant needs.
  PagerankRun(Exec& exec, const GraphView<View>& graph, const PagerankOptions& options, WeightKind weights = WeightKind::none);

  /// Computes the scores: the timed region. Call once; it frees all but the scores.
  AlgoStats run();
  /// Gives rank 0 all scores; after run() each rank has its own vertices'. Collective.
  void collect();
  /// Returns what collect() brought. On rank 0, once.
  PagerankOutput output();
  /// Returns whether the sweeps converged, and on request the certificate; true after a fixed number of sweeps.
  bool converged() const {
    if (options_.variant == PagerankVariant::synchronous) return true;
    if (options_.stop == PagerankStop::largest) return is_settled();
    return residual_ < options_.tolerance && (!certificate_ || certificate_->residual < options_.tolerance);
  }

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  AlgoStats sweep();
  AlgoStats run_extrapolated();
  AlgoStats run_pull();
  AlgoStats run_push();
  /// Pushes by a functor until the residuals are small. Saves `state` on the way.
  template <class Push, class State>
  AlgoStats push_by(const Push& push, State& state);
  /// Sums the weights of each vertex's out-edges.
  void sum_weights();
  AlgoStats run_synchronous();
  /// Replaces the oldest vector by the extrapolation; returns nothing where that would not help. Does the same to
  /// `isolated_scores`, which each vector has at isolated vertices.
  std::optional<Sums<2>> extrapolate(const std::array<double, 4>& sums, std::array<double, 4>& isolated_scores);
  /// Returns whether pushing is cheaper than sweeping: few edges leave vertices whose score changed by more than the tolerance.
  /// `before` has the scores before the last sweep.
  bool few_are_left(const Score* before, double mass);
  /// Computes the true residual, and pushes it where it is too large, until it is small everywhere.
  AlgoStats settle();
  bool is_settled() const { return certificate_->largest * static_cast<double>(graph_.num_vertices()) < options_.tolerance; }
  /// Makes one pass, with 64-bit shares; fills the signed `residuals` unless null. Returns the sum of the scores.
  double certify(Array<double>& shares, double* residuals);
  void keep_only_ranks();
  void mark_restarts();
  double rank_sum();
  /// Returns body(Elsewhere) of the other ranks' copies of shares_, or on a CPU without them body(Nowhere).
  template <class Body>
  auto with_elsewhere(const Body& body) const;
  void enter_others();
  /// Returns the teleported score at a restart; `share` is the mean over all vertices.
  Score at_restarts(double share) const { return static_cast<Score>(share * spread_); }

  Exec& exec_;
  GraphView<View> graph_;
  PagerankOptions options_;
  std::vector<Score*> others_;  // other ranks' shares_ that this one writes to; or empty
  // vectors_[current_] has the scores; extrapolated: the last four sweeps'. Of a rank's own vertices, but of push and settle()
  // of all.
  std::array<PartArray<Exec, Score>, 4> vectors_;
  std::vector<Score> found_;
  std::size_t current_ = 0;
  Array<Score> shares_;     // pull: score / out-degree. push: the shares of this round
  Array<Score> residuals_;  // push only
  WeightKind weights_;
  Array<double> weight_sums_;                 // of out-edges; weighted only
  Array<std::uint32_t> restarts_;             // a bit a vertex; empty: all are teleport targets
  Array<double> restart_shares_;              // of each vertex, of mean 1 over the restarts; empty: alike
  double spread_ = 1;                         // vertices / teleport targets
  std::optional<FrontierOf<Exec>> frontier_;  // of push, and of vertices to settle
  std::optional<FrontierOf<Exec>> next_;
  std::uint64_t iterations_ = 0;
  double residual_ = 0;
  std::optional<PagerankCertificate> certificate_;
};

}  // namespace graphrun::inline GR_IDS
