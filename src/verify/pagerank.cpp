#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Sum of many terms with the error of a few (Neumaier's variant of Kahan's summation): a plain loop over 2^25 equal ranks
/// may be off by more than the 1e-9 that is allowed here.
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

/// Where teleporting leads: a share a vertex, in sum 1.
std::vector<double> teleport_of(const std::vector<std::uint64_t>& restarts, VertexId n) {
  if (restarts.empty()) return std::vector<double>(n, 1.0 / static_cast<double>(n));
  std::vector<double> shares(n, 0.0);
  for (const std::uint64_t v : restarts) {
    if (v >= n) throw UsageError(fmt::format("restart {} is not below the number of vertices, {}", v, n));
    shares[v] = 1;
  }
  const auto different = static_cast<double>(std::count(shares.begin(), shares.end(), 1.0));
  for (double& share : shares) share /= different;
  return shares;
}

/// T(x)(v) = t(v) * ((1-d) + d * (sum of x over vertices of out-degree 0)) + d * (sum over u -> v of x(u)/outdeg(u)), with t the
/// shares of teleporting.
std::vector<double> jacobi_step(const Csr& csr, const std::vector<double>& ranks, double damping,
                                const std::vector<double>& teleport) {
  const VertexId n = csr.num_vertices();
  std::vector<double> next(n, 0.0);
  const VertexId* neighbours = csr.neighbours.data();
  CompensatedSum dangling;
  Progress progress("one more sweep", csr.num_edges());
  for (VertexId u = 0; u < n; ++u) {
    const EdgeId degree = csr.degree(u);
    progress.advance(degree);
    if (degree == 0) {
      dangling.add(ranks[u]);
      continue;
    }
    const double share = ranks[u] / static_cast<double>(degree);
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) next[neighbours[e]] += share;
  }
  const double teleported = (1 - damping) + damping * dangling.value();
  for (VertexId v = 0; v < n; ++v) next[v] = teleported * teleport[v] + damping * next[v];
  return next;
}

/// Share of the ranks (in the 1-norm) by which rounding alone may move a fixed point of the step.
///
/// A rank is the sum of k terms of one sign, k its in-degree. Each addition rounds by up to u, half a unit in the last
/// place, relative to the sum so far: k*u in the worst case, about sqrt(k)*u when the roundings are independent (Higham
/// and Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 2019). Sixteen more cover the
/// division by the degree, damping and its own rounding, and the additions by which a push variant collects a rank.
/// In f64 the worst case is affordable. In f32 it is not (a hub of a million would excuse 6 % of its rank), so the
/// independent case counts, twice: a kernel that adds a million f32 terms one after the other into an f32 loses more than
/// that, and is rightly told so. Weighted by rank this is 1e-6 and a little more on graphs without giant hubs.
double rounding_share(const Csr& csr, const std::vector<double>& ranks, bool single_precision) {
  std::vector<EdgeId> in_degrees(csr.num_vertices(), 0);
  const VertexId* neighbours = csr.neighbours.data();
  for (EdgeId e = 0; e < csr.num_edges(); ++e) ++in_degrees[neighbours[e]];
  double roundings = 0;
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    const auto terms = static_cast<double>(in_degrees[v]);
    roundings += ranks[v] * (16 + (single_precision ? 2 * std::sqrt(terms) : terms));
  }
  const double unit = (single_precision ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 2;
  return roundings * unit;
}

Verdict check_distribution(const std::vector<double>& ranks, double sum_slack, const VertexNames& names) {
  CompensatedSum sum;
  for (VertexId v = 0; v < ranks.size(); ++v) {
    if (!std::isfinite(ranks[v]) || ranks[v] < 0) return wrong(fmt::format("vertex {}: rank {}", names.text(v), ranks[v]));
    sum.add(ranks[v]);
  }
  if (std::abs(sum.value() - 1) <= sum_slack) return {};
  return wrong(fmt::format("the ranks sum to {:.17g}, which is not 1 within {}", sum.value(), sum_slack));
}

/// How far below (1-d) t(v) a rank may be, relative to it.
///
/// Before ranks are scaled to sum 1, each is at least (1-d) t(v). Converged ranks x are then within d*tolerance/(1-d) of a
/// sum of at most 1. Ranks on their way may sum to 1/(1-d): a start of t lies below the fixed point divided
/// by 1-d, and every update is monotone, so they stay below it.
double teleport_slack(double damping, double tolerance, double rounding, bool converged) {
  return converged ? (damping * tolerance + rounding) / (1 - damping) : damping + rounding;
}

/// `part` of what teleporting gives is the least.
Verdict check_teleport(const std::vector<double>& ranks, const std::vector<double>& teleport, double part,
                       const VertexNames& names) {
  for (VertexId v = 0; v < ranks.size(); ++v) {
    if (const double least = part * teleport[v]; ranks[v] < least)
      return wrong(
          fmt::format("vertex {}: rank {:.9g} is below {:.9g}, which teleporting gives", names.text(v), ranks[v], least));
  }
  return {};
}

}  // namespace

PagerankOutput serial_pagerank(const Csr& csr, double damping, double tolerance, std::uint64_t max_iterations,
                               const std::vector<std::uint64_t>& restarts) {
  const VertexId n = csr.num_vertices();
  PagerankOutput output;
  if (n == 0) return output;
  const std::vector<double> teleport = teleport_of(restarts, n);
  output.ranks = teleport;
  while (output.iterations < max_iterations) {
    std::vector<double> next = jacobi_step(csr, output.ranks, damping, teleport);
    output.residual = 0;
    for (VertexId v = 0; v < n; ++v) output.residual += std::abs(next[v] - output.ranks[v]);
    output.ranks = std::move(next);
    ++output.iterations;
    if (output.residual < tolerance) break;
  }
  return output;
}

Verdict check_pagerank(const Graph& graph, const PagerankOutput& output, double damping, double tolerance, bool single_precision,
                       bool converged, const std::vector<std::uint64_t>& restarts) {
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  const std::vector<double>& ranks = output.ranks;
  if (const Verdict sized = check_size("ranks", ranks.size(), n); !sized) return sized;
  if (n == 0) return {};
  if (const Verdict summed = check_distribution(ranks, single_precision ? 1e-6 : 1e-9, graph.names); !summed) return summed;
  const double rounding = rounding_share(csr, ranks, single_precision);
  const std::vector<double> teleport = teleport_of(restarts, n);
  const double part = (1 - damping) * (1 - teleport_slack(damping, tolerance, rounding, converged));
  if (const Verdict covered = check_teleport(ranks, teleport, part, graph.names); !covered) return covered;
  if (!converged) return {};

  const std::vector<double> next = jacobi_step(csr, ranks, damping, teleport);
  double change = 0;
  VertexId worst = 0;
  for (VertexId v = 0; v < n; ++v) {
    change += std::abs(next[v] - ranks[v]);
    if (std::abs(next[v] - ranks[v]) > std::abs(next[worst] - ranks[worst])) worst = v;
  }
  const double bound = 2 * (damping * tolerance + rounding);
  if (change <= bound) return {};
  return wrong(
      fmt::format("one more iteration changes the ranks by {:.3g}, more than {:.3g}; most at vertex {}: from {:.9g} to {:.9g}",
                  change, bound, graph.names.text(worst), ranks[worst], next[worst]));
}

}  // namespace graphrun::verify::inline GR_IDS
