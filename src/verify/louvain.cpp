// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/louvain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Returns the error of modularities and of gains: sums of doubles, and weights that are rounded to units whose sum is 2^50.
double tolerance_of(const Graph& graph, bool weighted, double resolution) {
  const double rounding = weighted ? std::ldexp(static_cast<double>(graph.num_edges()), -50) : 0;
  return (1e-9 + rounding) * (1 + resolution);
}

/// Calls visit(u, weight) for each arc from v to u; for a self loop with twice its weight.
template <class Visit>
void for_each_arc_of(const Graph& graph, bool weighted, VertexId v, const Visit& visit) {
  const Csr& csr = graph.out;
  for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
    const VertexId u = csr.neighbours[e];
    const double weight = weighted ? graph.weight_of(csr.weights[e]) : 1;
    visit(u, u == v ? 2 * weight : weight);
  }
}

/// Shares of all weight at each community, and within it.
struct CommunityShares {
  double all = 0;  ///< the weight of all arcs
  std::vector<double> degrees;
  std::vector<double> within;

  double modularity(double resolution) const {
    double sum = 0;
    for (std::size_t c = 0; c < degrees.size(); ++c) sum += within[c] - resolution * degrees[c] * degrees[c];
    return sum;
  }
};

CommunityShares shares_of(const Graph& graph, bool weighted, const std::vector<VertexId>& labels) {
  CommunityShares shares{0, std::vector<double>(labels.size()), std::vector<double>(labels.size())};
  for (VertexId v = 0; v < labels.size(); ++v) {
    for_each_arc_of(graph, weighted, v, [&](VertexId u, double weight) {
      shares.all += weight;
      shares.degrees[labels[v]] += weight;
      if (labels[v] == labels[u]) shares.within[labels[v]] += weight;
    });
  }
  for (auto* const each : {&shares.degrees, &shares.within}) {
    for (double& share : *each) share = shares.all == 0 ? 0 : share / shares.all;
  }
  return shares;
}

/// Finds two communities that gain by joining.
Verdict check_joins(const Graph& graph, bool weighted, const std::vector<VertexId>& labels, const CommunityShares& shares,
                    double resolution, double tolerance) {
  std::vector<VertexId> members(labels.size());
  std::iota(members.begin(), members.end(), VertexId{0});
  std::ranges::sort(members, {}, [&](VertexId v) { return labels[v]; });
  std::vector<double> between(labels.size());  // shares of the weight between one community and each other
  std::vector<VertexId> others;
  for (std::size_t i = 0; i < members.size();) {
    const VertexId label = labels[members[i]];
    for (; i < members.size() && labels[members[i]] == label; ++i) {
      for_each_arc_of(graph, weighted, members[i], [&](VertexId u, double weight) {
        if (labels[u] <= label) return;
        if (between[labels[u]] == 0) others.push_back(labels[u]);
        between[labels[u]] += weight / shares.all;
      });
    }
    for (const VertexId other : others) {
      const double gain = 2 * (between[other] - resolution * shares.degrees[label] * shares.degrees[other]);
      if (gain > tolerance)
        return wrong("the communities of {} and {} would gain {:.3g} of modularity by joining", graph.names.text(label),
                     graph.names.text(other), gain);
      between[other] = 0;
    }
    others.clear();
  }
  return {};
}

}  // namespace

Verdict check_louvain(const Graph& graph, const LouvainOutput& output, double resolution, bool weighted) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("labels", output.labels.size(), n); !sized) return sized;
  for (VertexId v = 0; v < n; ++v) {
    const VertexId label = output.labels[v];
    if (label > v || output.labels[label] != label)
      return wrong("vertex {}: label {} is not the smallest vertex of its community", graph.names.text(v), label);
  }
  std::vector<VertexId> alone(n);
  std::iota(alone.begin(), alone.end(), VertexId{0});
  const double least = shares_of(graph, weighted, alone).modularity(resolution);
  const CommunityShares shares = shares_of(graph, weighted, output.labels);
  const double modularity = shares.modularity(resolution);
  const double tolerance = tolerance_of(graph, weighted, resolution);
  if (!(std::abs(output.modularity - modularity) < tolerance))
    return wrong("modularity {}, expected {}", output.modularity, modularity);
  if (modularity < least - tolerance)
    return wrong("modularity {}, and {} with a community a vertex", modularity, least);
  return check_joins(graph, weighted, output.labels, shares, resolution, tolerance);
}

}  // namespace graphrun::verify::inline GR_IDS
