// SPDX-License-Identifier: Apache-2.0
// Limits of both checks of scores, and their reasons.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/core/types.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Sum of many terms with the error of a few (Neumaier's variant of Kahan's summation): a plain loop over 2^25 equal scores may
/// be off by more than the allowed 1e-9.
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

/// The teleport distribution: a share a vertex, in sum 1. All vertices have one where there are no restarts.
class Teleport {
 public:
  /// Spreads over `restarts` in proportion to `shares` (empty: alike), or over all vertices. Throws UsageError when a restart is
  /// no vertex.
  Teleport(const std::vector<std::uint64_t>& restarts, VertexId n, const std::vector<double>& shares = {})
      : all_(1.0 / static_cast<double>(n)), shares_(restarts.empty() ? 0 : n) {
    double sum = 0;
    for (std::size_t i = 0; i < restarts.size(); ++i) {
      if (restarts[i] >= n) raise<UsageError>("restart {} is not below the number of vertices, {}", restarts[i], n);
      double& share = shares_[restarts[i]];
      sum -= share;
      share = shares.empty() ? 1 : share + shares[i];  // a restart that is named twice counts once
      sum += share;
    }
    for (double& share : shares_) share /= sum;
  }
  double operator()(VertexId v) const { return shares_.empty() ? all_ : shares_[v]; }

 private:
  double all_;
  std::vector<double> shares_;
};

/// Returns half a unit in the last place of the iteration's floats.
inline double rounding_unit(bool single_precision) {
  return (single_precision ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 2;
}

/// Returns the number of such units that rounding alone may move a score of `terms` in-edges, relative to it. A score is the sum
/// of k terms of one sign, k its in-degree. Each addition rounds by up to u, half a unit in the last place, relative to the sum
/// so far: k*u in the worst case, about sqrt(k)*u when the roundings are independent (Higham and Mary, "A New Approach to
/// Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 2019). Sixteen more cover the division by the degree, damping and
/// its own rounding, and the additions by which a push variant collects a score. In f64 the worst case is affordable. In f32 it
/// is not (a hub of a million would excuse 6 % of its score), so the independent case counts, twice: a kernel that adds a million
/// f32 terms one after the other into an f32 loses more, and fails. Weighted by score this is 1e-6 and a little more on graphs
/// without giant hubs.
inline double roundings_of(double terms, bool single_precision) {
  constexpr double kOthers = 16;
  return kOthers + (single_precision ? 2 * std::sqrt(terms) : terms);
}

/// Returns how far below (1-d) t(v) a score may be, relative to it, with teleport shares t. Before scores are scaled to sum 1,
/// each is at least (1-d) t(v). Converged scores x are then within d*tolerance/(1-d) of a sum of at most 1. Scores on their way
/// may sum to 1/(1-d): a start of t lies below the fixed point divided by 1-d, and every update is monotone, so they stay below
/// it.
inline double teleport_slack(double damping, double tolerance, double rounding, bool converged) {
  return converged ? (damping * tolerance + rounding) / (1 - damping) : damping + rounding;
}

/// Changes of the scores by one more iteration: their sum, and the largest, at a vertex.
struct ChangeOfScores {
  double sum = 0;
  std::string vertex = {};
  double rank = 0;
  double next = 0;
};

/// Checks the changes of a converged run by their limits, and of any run the numbers that it reports: the certificate says the
/// changes but for rounding, and the residual of a run that converged by it is below the tolerance.
inline Verdict check_changes(const ChangeOfScores& change, const PagerankOutput& output, double damping, double tolerance,
                             double largest, double rounding, bool converged) {
  const double most = std::abs(change.next - change.rank);
  if (converged && most > largest + rounding)
    return wrong("one more iteration changes the rank of vertex {} from {:.9g} to {:.9g}, by more than {:.3g}", change.vertex,
                 change.rank, change.next, largest + rounding);
  if (const double limit = 2 * (damping * tolerance + rounding); converged && change.sum > limit)
    return wrong("one more iteration changes the ranks by {:.3g}, more than {:.3g}; most at vertex {}: from {:.9g} to {:.9g}",
                 change.sum, limit, change.vertex, change.rank, change.next);
  if (converged && std::isinf(largest) && !(output.residual >= 0 && output.residual < tolerance))
    return wrong("a run that converged says residual {:.9g}, which is not below {}", output.residual, tolerance);
  if (!output.certificate) return {};
  const auto [said, most_said] = *output.certificate;
  const double slack = 1e-13 + 16 * rounding;  // differences of scores, which were scaled in between
  if (std::abs(said - change.sum) <= slack && std::abs(most_said - most) <= slack) return {};
  return wrong("the certificate says changes of {:.9g}, at most {:.9g}, and one more iteration makes {:.9g}, at most {:.9g}",
               said, most_said, change.sum, most);
}

}  // namespace graphrun::verify::inline GR_IDS
