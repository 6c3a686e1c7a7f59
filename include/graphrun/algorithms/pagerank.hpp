// PageRank with uniform teleport, or with restarts at a set of vertices (personalised). The rank of vertices without out-edges is
// spread where teleporting leads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class PagerankVariant {
  extrapolated,  ///< pull that keeps its mass, with reduced-rank extrapolation after every fifth sweep
  pull,          ///< every vertex gathers over the transpose, using new values at once (Gauss-Seidel)
  push,          ///< vertices with enough residual hand it to their neighbours; needs no transpose
};

template <>
struct ChoicesOf<PagerankVariant> {
  static constexpr const char* kWhat = "variant of pagerank";
  static constexpr Choice<PagerankVariant> kAll[] = {
      {"extrapolated", PagerankVariant::extrapolated}, {"pull", PagerankVariant::pull}, {"push", PagerankVariant::push}};
};

enum class PagerankStop {
  sum,      ///< on the sum of changes, relative to the sum of ranks (GAP's rule)
  largest,  ///< on the true residual of each vertex, relative to the mean rank, 1/n; one more pass certifies it
};

template <>
struct ChoicesOf<PagerankStop> {
  static constexpr const char* kWhat = "rule to stop by";
  static constexpr Choice<PagerankStop> kAll[] = {{"sum", PagerankStop::sum}, {"largest", PagerankStop::largest}};
};

struct PagerankOptions {
  PagerankVariant variant = PagerankVariant::extrapolated;
  PagerankStop stop = PagerankStop::sum;  ///< what the tolerance is on
  double damping = 0.85;
  double tolerance = 1e-4;
  std::uint64_t max_iterations = 1000;       ///< sweeps, and pushes along as many edges as there are
  std::vector<std::uint64_t> restarts = {};  ///< vertices that teleporting leads to, each as often; empty: all
  bool certify = false;  ///< ends with one more pass over the edges, which finds the residual of what is returned
};

/// Whether ranks are iterated in 32-bit floats: below this tolerance their rounding is as large as the changes. That of one hub
/// exceeds what may be left at a vertex at any tolerance of use.
inline bool is_single_precision(const PagerankOptions& options) {
  return options.stop == PagerankStop::sum && options.tolerance >= 1e-6;
}

/// Whether it ends with a pass that finds the true residual.
inline bool is_certified(const PagerankOptions& options) { return options.certify || options.stop == PagerankStop::largest; }

/// Whether it gathers over in-edges.
inline bool reads_in_edges(const PagerankOptions& options) {
  return options.variant != PagerankVariant::push || is_certified(options);
}

/// Whether it pushes along out-edges.
inline bool pushes_rank(const PagerankOptions& options) {
  return options.variant == PagerankVariant::push || options.stop == PagerankStop::largest;
}

}  // namespace graphrun

namespace graphrun::pagerank::inline GR_IDS {
template <class Score>
struct Elsewhere;
}

namespace graphrun::inline GR_IDS {

/// `Score` is float or double: the type ranks are kept in while iterating. Use double for tolerances below 1e-6.
template <class Exec, class View, class Score>
class PagerankRun {
 public:
  /// Throws UsageError where a restart is no vertex, and where in-edges are needed and not reached.
  PagerankRun(Exec& exec, const GraphView<View>& graph, const PagerankOptions& options);

  /// This is the region that is timed. Once: what comes after it keeps nothing but the ranks.
  AlgoStats run();
  PagerankOutput output();
  /// By the sweeps, and by the certificate where one was asked for.
  bool converged() const {
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
  /// Whether the graph is connected, as far as numbers tell: a random graph is when it has n log n edges and no isolated vertices
  /// (Erdos and Renyi). Its ranks then begin best near the stationary distribution of its walk. In other graphs each component
  /// would begin with ranks in sum that it does not end with, and these change slowly.
  bool starts_by_degree();
  /// In place of the oldest vector; nothing where it would do no good.
  std::optional<Sums<2>> extrapolate(const std::array<double, 4>& sums);
  /// Whether so few edges lead out of vertices whose rank the last sweep changed by more than the tolerance that pushing is the
  /// shorter way to settle these. `before` has the ranks from before it.
  bool few_are_left(const Score* before, double mass);
  /// Finds the true residual, and pushes it along where it is too large, until it is nowhere.
  AlgoStats settle();
  template <class Settling, class Value>
  EdgeMapStats push_on(const Settling& settle, Array<Value>& residuals, Array<Value>& given);
  template <class Value>
  Array<Value> room_to_give();
  bool is_settled() const { return certificate_->largest * static_cast<double>(graph_.num_vertices()) < options_.tolerance; }
  /// One pass, with shares of 64 bits; `residuals`, signed, only where not null. Returns the sum of the ranks.
  double certify(Array<double>& shares, double* residuals);
  void keep_only_ranks();
  void mark_restarts();
  double rank_sum();
  /// Of what a sweep writes to shares_ and vectors_[next].
  pagerank::Elsewhere<Score> elsewhere(std::size_t next) const;
  /// Returns body(elsewhere(next)), or body(pagerank::Nowhere{}) on a CPU where that has no places.
  template <class Body>
  auto with_elsewhere(std::size_t next, const Body& body) const;
  void enter_others();
  /// Of a vertex that teleporting leads to, where `share` is the mean over all vertices.
  Score at_restarts(double share) const { return static_cast<Score>(share * spread_); }

  Exec& exec_;
  GraphView<View> graph_;
  PagerankOptions options_;
  std::vector<std::vector<Score*>> others_;  // vectors_ and shares_ of other ranks that this one writes to; or empty
  std::array<Array<Score>, 4> vectors_;      // vectors_[current_] has the ranks; extrapolated: those after the last four sweeps
  std::size_t current_ = 0;
  Array<Score> shares_;                       // pull: rank / out-degree. push: what each vertex publishes this round
  Array<Score> residuals_;                    // push only
  Array<std::uint32_t> restarts_;             // a bit a vertex; empty where teleporting leads everywhere
  double spread_ = 1;                         // vertices / vertices that teleporting leads to
  std::optional<FrontierOf<Exec>> frontier_;  // of push, and of vertices that are settled
  std::optional<FrontierOf<Exec>> next_;
  std::uint64_t iterations_ = 0;
  double residual_ = 0;
  std::optional<PagerankCertificate> certificate_;
};

}  // namespace graphrun::inline GR_IDS
