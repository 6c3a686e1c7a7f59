// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/centrality.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/pagerank_limits.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

void scale(std::vector<double>& scores, double factor) {
  for (double& score : scores) score *= factor;
}

double sum_of_scores(const std::vector<double>& scores, bool squared) {
  CompensatedSum sum;
  for (const double score : scores) sum.add(squared ? score * score : score);
  return sum.value();
}

EdgeId largest_in_degree(const Csr& csr) {
  std::vector<EdgeId> degrees(csr.num_vertices());
  for (EdgeId e = 0; e < csr.num_edges(); ++e) ++degrees[csr.neighbours[e]];
  return degrees.empty() ? 0 : *std::ranges::max_element(degrees);
}

double one_over(double of) { return of == 0 ? 1 : 1 / of; }

}  // namespace

CentralityOutput serial_centrality(const Csr& csr, Centrality which, double attenuation, std::uint64_t iterations) {
  const VertexId n = csr.num_vertices();
  CentralityOutput found{.which = which, .scores = {}, .hubs = {}};
  if (n == 0) return found;
  const auto for_each_arc = [&](const auto& visit) {
    for (VertexId u = 0; u < n; ++u) {
      for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) visit(u, csr.neighbours[e]);
    }
  };
  std::vector<double> last(n, which == Centrality::katz ? 0.0 : 1 / static_cast<double>(n));
  Progress progress("sweeps anew", iterations);
  for (; found.iterations < iterations; ++found.iterations) {
    std::vector<double> next = which == Centrality::eigenvector ? last : std::vector<double>(n, 0.0);
    for_each_arc([&](VertexId u, VertexId v) { next[v] += last[u]; });
    if (which == Centrality::hits) {
      found.scores = std::exchange(next, std::vector<double>(n, 0.0));
      for_each_arc([&](VertexId u, VertexId v) { next[u] += found.scores[v]; });
      scale(next, one_over(sum_of_scores(next, false)));
    } else if (which == Centrality::eigenvector) {
      scale(next, one_over(std::sqrt(sum_of_scores(next, true))));
    } else {
      for (double& score : next) score = 1 + attenuation * score;
    }
    found.residual = 0;
    for (VertexId v = 0; v < n; ++v) found.residual += std::abs(next[v] - last[v]);
    last = std::move(next);
    progress.advance(1);
  }
  if (which == Centrality::hits) {
    scale(found.scores, one_over(sum_of_scores(found.scores, false)));
    found.hubs = std::move(last);
    return found;
  }
  found.scores = std::move(last);
  if (which == Centrality::katz) {
    found.norm = std::sqrt(sum_of_scores(found.scores, true));
    scale(found.scores, one_over(found.norm));
  }
  return found;
}

Verdict check_centrality(const Graph& graph, const CentralityOutput& output, const CentralityOptions& options, bool converged) {
  constexpr double kMostRounding = 1e-8;
  constexpr double kDenormal = 1e-290;      // where digits are lost
  constexpr double kMostCancelled = 1e-10;  // of the sum of scores, in a sum of their differences
  const VertexId n = graph.num_vertices();
  if (output.iterations > options.max_iterations)
    return wrong("{} iterations, more than {}", output.iterations, options.max_iterations);
  const double attenuation = options.attenuation.value_or(converging_attenuation(largest_in_degree(graph.out)));
  if (output.which == Centrality::katz && n != 0 && output.attenuation != attenuation)
    return wrong("attenuation {:.17g}, expected {:.17g}", output.attenuation, attenuation);
  const CentralityOutput expected = serial_centrality(graph.out, output.which, attenuation, output.iterations);
  if (converged && !(expected.residual < options.tolerance * (1 + 1e-6)))
    return wrong("the last sweep changes the scores by {:.3g}, which is not below {}", expected.residual, options.tolerance);
  if (!converged && output.iterations < options.max_iterations && expected.residual < kNoLimit * (1 - 1e-6))
    return wrong("stopped after {} iterations, before it converged", output.iterations);
  const auto compare = [&](const char* what, const std::vector<double>& found, const std::vector<double>& right) -> Verdict {
    if (const Verdict sized = check_size(what, found.size(), right.size()); !sized) return sized;
    for (std::size_t v = 0; v < right.size(); ++v) {
      if (!(std::abs(found[v] - right[v]) <= kMostRounding * right[v] + kDenormal))
        return wrong("vertex {}: {} {:.17g}, expected {:.17g}", graph.names.text(static_cast<VertexId>(v)), what, found[v],
                     right[v]);
    }
    return {};
  };
  if (const Verdict sized = check_size("scores", output.scores.size(), n); !sized || n == 0) return sized;
  if (const Verdict scores = compare("score", output.scores, expected.scores); !scores) return scores;
  if (const Verdict hubs = compare("hub", output.hubs, expected.hubs); !hubs) return hubs;
  if (!(std::abs(output.norm - expected.norm) <= kMostRounding * expected.norm))
    return wrong("norm {:.17g}, expected {:.17g}", output.norm, expected.norm);
  const double scores = expected.norm * sum_of_scores(expected.hubs.empty() ? expected.scores : expected.hubs, false);
  if (!(std::abs(output.residual - expected.residual) <= kMostRounding * expected.residual + kMostCancelled * scores))
    return wrong("residual {:.17g}, expected {:.17g}", output.residual, expected.residual);
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
