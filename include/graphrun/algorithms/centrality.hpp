// SPDX-License-Identifier: Apache-2.0
// Centralities by power iteration: hubs and authorities (Kleinberg, Journal of the ACM 46, 1999), eigenvector centrality
// (Bonacich, Journal of Mathematical Sociology 2, 1972) and Katz centrality (Psychometrika 18, 1953).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class Centrality {
  hits,         ///< a hub is the sum of the authorities it points to, an authority of the hubs that point to it
  eigenvector,  ///< in proportion to the sum over in-neighbours
  katz,         ///< 1 and the attenuated sum over in-neighbours
};

struct CentralityOptions {
  std::optional<double> attenuation;  ///< katz: of each step of a walk; none: converging_attenuation()
  double tolerance = 1e-6;            ///< on the sum of changes of a sweep
  std::uint64_t max_iterations = 1000;
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Returns an attenuation with which sums of walks have a limit: the largest in-degree is a bound on the largest eigenvalue.
inline double converging_attenuation(EdgeId largest_in_degree) {
  return 0.9 / static_cast<double>(largest_in_degree == 0 ? 1 : largest_in_degree);
}

/// Sums of walks that change by so much in a sweep are taken to have no limit. Their squares, added up, are still numbers.
inline constexpr double kNoLimit = 1e140;

/// Scores of every vertex. hits: authorities, and hubs, in sum 1. Others: of 2-norm 1.
struct CentralityOutput {
  Centrality which = Centrality::hits;
  std::vector<double> scores;
  std::vector<double> hubs;  ///< of hits
  std::uint64_t iterations = 0;
  double residual = 0;     ///< sum of changes of the last sweep
  double norm = 1;         ///< katz: of the scores before they were scaled
  double attenuation = 0;  ///< katz: as used
};
void describe(const CentralityOutput& output, AnswerData& answer);

/// Takes two doubles a vertex, of hits three. A sweep reads the in-edges, of hits also the out-edges.
template <class Exec, class View>
class CentralityRun {
 public:
  /// Throws UsageError where the graph is directed and has no in-edges.
  CentralityRun(Exec& exec, const GraphView<View>& graph, Centrality which, const CentralityOptions& options);

  /// This is the region that is timed.
  AlgoStats run();
  CentralityOutput output();
  bool converged() const { return graph_.num_vertices() == 0 || residual_ < options_.tolerance; }

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  /// Returns the requested attenuation, or the one that converges.
  double attenuation();
  /// Makes scores_ of last_. Returns the sum of changes.
  double sweep();

  Exec& exec_;
  GraphView<View> graph_;
  Centrality which_;
  CentralityOptions options_;
  Array<double> scores_;       // of hits: hubs
  Array<double> last_;         // of the sweep before
  Array<double> authorities_;  // of hits
  double attenuation_ = 0;     // of katz
  std::uint64_t iterations_ = 0;
  double residual_ = 0;
};

}  // namespace graphrun::inline GR_IDS
