// PageRank with uniform teleport; the rank of vertices without out-edges is spread uniformly.
#pragma once

#include <cstdint>
#include <optional>

#include "graphrun/algo/outputs.hpp"
#include "graphrun/algo/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class PagerankVariant {
  pull,  ///< every vertex gathers over the transpose, using new values at once (Gauss-Seidel)
  push,  ///< vertices with enough residual hand it to their neighbours; needs no transpose
};

template <>
struct ChoicesOf<PagerankVariant> {
  static constexpr const char* kWhat = "variant of pagerank";
  static constexpr Choice<PagerankVariant> kAll[] = {{"pull", PagerankVariant::pull}, {"push", PagerankVariant::push}};
};

struct PagerankOptions {
  PagerankVariant variant = PagerankVariant::pull;
  double damping = 0.85;
  double tolerance = 1e-4;  ///< on the sum of changes, relative to the sum of ranks (GAP's rule)
  std::uint64_t max_iterations = 1000;
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// `Score` is float or double: the type ranks are kept in while iterating. Use double for tolerances below 1e-6.
template <class Exec, class View, class Score>
class PagerankRun {
 public:
  PagerankRun(Exec& exec, const GraphView<View>& graph, const PagerankOptions& options);

  /// This is the region that is timed.
  AlgoStats run();
  PagerankOutput output();
  bool converged() const { return residual_ < options_.tolerance; }

 private:
  AlgoStats run_pull();
  AlgoStats run_push();
  double rank_sum();

  Exec& exec_;
  GraphView<View> graph_;
  PagerankOptions options_;
  typename Exec::template Array<Score> ranks_;
  typename Exec::template Array<Score> shares_;     // pull: rank / out-degree. push: what each vertex hands out this round
  typename Exec::template Array<Score> residuals_;  // push only
  std::optional<FrontierOf<Exec>> frontier_;        // push only
  std::optional<FrontierOf<Exec>> next_;
  std::uint64_t iterations_ = 0;
  double residual_ = 0;
};

}  // namespace graphrun::inline GR_IDS
