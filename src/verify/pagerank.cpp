// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/pagerank_limits.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Returns T(x)(v) = t(v) * ((1-d) + d * (sum of x over vertices of out-degree 0)) + d * (sum over u -> v of x(u)/outdeg(u)),
/// with teleport shares t. With weights the share of an arc is its part of the sum of weights at u instead, and vertices of sum 0
/// count as dangling.
std::vector<double> jacobi_step(const Csr& csr, const std::vector<double>& ranks, double damping, const Teleport& teleport,
                                const Graph* weights = nullptr) {
  const VertexId n = csr.num_vertices();
  std::vector<double> next(n, 0.0);
  const VertexId* neighbours = csr.neighbours.data();
  CompensatedSum dangling;
  Progress progress("one more sweep", csr.num_edges());
  for (VertexId u = 0; u < n; ++u) {
    const EdgeId degree = csr.degree(u);
    progress.advance(degree);
    const auto weight_of = [&](EdgeId e) { return weights == nullptr ? 1 : weights->weight_of(csr.weights[e]); };
    double sum = static_cast<double>(degree);
    if (weights != nullptr) {
      sum = 0;
      for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) sum += weight_of(e);
    }
    if (sum == 0) {
      dangling.add(ranks[u]);
      continue;
    }
    const double share = ranks[u] / sum;
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) next[neighbours[e]] += share * weight_of(e);
  }
  const double teleported = (1 - damping) + damping * dangling.value();
  for (VertexId v = 0; v < n; ++v) next[v] = teleported * teleport(v) + damping * next[v];
  return next;
}

/// Returns the share of scores (in the 1-norm) by which rounding may move a fixed point of the step: see roundings_of().
double rounding_share(const Csr& csr, const std::vector<double>& ranks, bool single_precision) {
  std::vector<EdgeId> in_degrees(csr.num_vertices(), 0);
  const VertexId* neighbours = csr.neighbours.data();
  for (EdgeId e = 0; e < csr.num_edges(); ++e) ++in_degrees[neighbours[e]];
  double roundings = 0;
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    roundings += ranks[v] * roundings_of(static_cast<double>(in_degrees[v]), single_precision);
  }
  return roundings * rounding_unit(single_precision);
}

Verdict check_distribution(const std::vector<double>& ranks, double sum_slack, const VertexNames& names) {
  CompensatedSum sum;
  for (VertexId v = 0; v < ranks.size(); ++v) {
    if (!std::isfinite(ranks[v]) || ranks[v] < 0) return wrong("vertex {}: rank {}", names.text(v), ranks[v]);
    sum.add(ranks[v]);
  }
  if (std::abs(sum.value() - 1) <= sum_slack) return {};
  return wrong("the ranks sum to {:.17g}, which is not 1 within {}", sum.value(), sum_slack);
}

/// Checks that each score is at least `part` of its teleported share.
Verdict check_teleport(const std::vector<double>& ranks, const Teleport& teleport, double part, const VertexNames& names) {
  for (VertexId v = 0; v < ranks.size(); ++v) {
    if (const double least = part * teleport(v); ranks[v] < least)
      return wrong("vertex {}: rank {:.9g} is below {:.9g}, which teleporting gives", names.text(v), ranks[v], least);
  }
  return {};
}

}  // namespace

PagerankOutput serial_pagerank(const Csr& csr, double damping, double tolerance, std::uint64_t max_iterations,
                               const std::vector<std::uint64_t>& restarts) {
  const VertexId n = csr.num_vertices();
  PagerankOutput output;
  if (n == 0) return output;
  const Teleport teleport(restarts, n);
  for (VertexId v = 0; v < n; ++v) output.ranks.push_back(teleport(v));
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
                       bool converged, const std::vector<std::uint64_t>& restarts, double largest, bool weighted,
                       const std::vector<double>& shares) {
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  const std::vector<double>& ranks = output.ranks;
  if (const Verdict sized = check_size("ranks", ranks.size(), n); !sized) return sized;
  if (n == 0) return {};
  if (const Verdict summed = check_distribution(ranks, single_precision ? 1e-6 : 1e-9, graph.names); !summed) return summed;
  const double rounding = rounding_share(csr, ranks, single_precision);
  const Teleport teleport(restarts, n, shares);
  const double part = (1 - damping) * (1 - teleport_slack(damping, tolerance, rounding, converged));
  if (const Verdict covered = check_teleport(ranks, teleport, part, graph.names); !covered) return covered;
  if (!converged && !output.certificate) return {};

  const std::vector<double> next = jacobi_step(csr, ranks, damping, teleport, weighted ? &graph : nullptr);
  double change = 0;
  VertexId worst = 0;
  for (VertexId v = 0; v < n; ++v) {
    change += std::abs(next[v] - ranks[v]);
    if (std::abs(next[v] - ranks[v]) > std::abs(next[worst] - ranks[worst])) worst = v;
  }
  const ChangeOfScores changes{change, graph.names.text(worst), ranks[worst], next[worst]};
  return check_changes(changes, output, damping, tolerance, largest, rounding, converged);
}

Verdict check_pagerank_sweeps(const Graph& graph, const PagerankOutput& output, double damping, std::uint64_t sweeps,
                              const std::vector<std::uint64_t>& restarts) {
  constexpr double kMostRounding = 1e-9;
  constexpr double kNever = -1;  // a tolerance
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("ranks", output.ranks.size(), n); !sized) return sized;
  const PagerankOutput expected = serial_pagerank(graph.out, damping, kNever, sweeps, restarts);
  for (VertexId v = 0; v < n; ++v) {
    if (!(std::abs(output.ranks[v] - expected.ranks[v]) <= kMostRounding * expected.ranks[v]))
      return wrong("vertex {}: rank {:.17g}, and {:.17g} after {} sweeps", graph.names.text(v), output.ranks[v],
                   expected.ranks[v], sweeps);
  }
  if (!(std::abs(output.residual - expected.residual) <= kMostRounding))
    return wrong("residual {:.17g}, and {:.17g} after {} sweeps", output.residual, expected.residual, sweeps);
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
