// SPDX-License-Identifier: Apache-2.0
// Power iterations, both executors; docs/algorithms/centrality.md has the equations. Each sweep gathers the last one's scores in
// 64-bit floats, so that all executors, backends and ranks make the same iterates.
#pragma once

#include <cmath>
#include <utility>

#include "graphrun/algorithms/centrality.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::centrality::inline GR_IDS {

struct SetScore {
  double* scores;
  double score;
  GR_HD void operator()(std::size_t v) const { scores[v] = score; }
};

/// Gathers scores along a direction of edges.
struct Gather {
  using Value = double;
  using Can = Capabilities<can::Share>;
  const double* from;
  double* to;

  GR_HD double value(VertexId u) const { return from[u]; }
  /// Returns the gathered sum.
  GR_HD double finish(VertexId v, double sum) const {
    to[v] = sum;
    return sum;
  }
  GR_HD double state(VertexId v) const { return to[v]; }
  GR_HD void take(VertexId v, double score) const { to[v] = score; }
};

/// Adds the vertex's own score, for an eigenvalue that is the only one of its magnitude.
struct GatherShifted : Gather {
  /// Returns the square.
  GR_HD double finish(VertexId v, double sum) const {
    const double next = sum + from[v];
    to[v] = next;
    return next * next;
  }
};

/// Sums attenuated walks.
struct GatherAttenuated : Gather {
  double attenuation;
  /// Returns the change.
  GR_HD double finish(VertexId v, double sum) const {
    const double next = 1 + attenuation * sum;
    to[v] = next;
    return fabs(next - from[v]);
  }
};

struct LargestDegree {
  Rows rows;
  EdgeId* largest;
  GR_HD void operator()(std::size_t v) const {
    const EdgeId degree = rows.degree(static_cast<VertexId>(v));
    if (degree > atomics::load(*largest)) atomics::fetch_max(*largest, degree);
  }
};

/// Scales scores; returns the change of each.
struct Rescale {
  double* scores;
  const double* last;
  double factor;
  GR_HD double operator()(std::size_t v) const {
    scores[v] *= factor;
    return fabs(scores[v] - last[v]);
  }
};

/// Returns what divides scores of this sum or norm; all scores are 0 where that is.
inline double inverse(double of) { return of == 0 ? 1 : 1 / of; }

}  // namespace graphrun::centrality::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
CentralityRun<Exec, View>::CentralityRun(Exec& exec, const GraphView<View>& graph, Centrality which,
                                         const CentralityOptions& options)
    : exec_(exec), graph_(graph), which_(which), options_(options) {
  load_kernels<CentralityRun>(exec_);
  graph_.require_in("centrality");
  scores_ = exec.template make_array<double>(graph.num_vertices());
  last_ = exec.template make_array<double>(graph.num_vertices());
  if (which == Centrality::hits) authorities_ = exec.template make_array<double>(graph.num_vertices());
}

template <class Exec, class View>
double CentralityRun<Exec, View>::attenuation() {
  if (options_.attenuation) return *options_.attenuation;
  auto largest = exec_.template make_array<EdgeId>(1);
  fill(exec_, largest, EdgeId{0});
  vertex_map(exec_, graph_.num_vertices(), centrality::LargestDegree{graph_.in, largest.data()});
  return converging_attenuation(exec_.fetch(largest, 0));
}

template <class Exec, class View>
double CentralityRun<Exec, View>::sweep() {
  const auto rescale = [&](double factor) {
    return vertex_sum<double>(exec_, graph_.num_vertices(), centrality::Rescale{scores_.data(), last_.data(), factor});
  };
  const centrality::Gather gather{last_.data(), scores_.data()};
  switch (which_) {
    case Centrality::hits: {
      edge_reduce_pull(exec_, graph_.in, graph_.in_edges, centrality::Gather{last_.data(), authorities_.data()});
      const centrality::Gather hubs{authorities_.data(), scores_.data()};
      return rescale(centrality::inverse(edge_reduce_pull(exec_, graph_.out, graph_.out_edges, hubs)));
    }
    case Centrality::eigenvector: {
      const double squares = edge_reduce_pull(exec_, graph_.in, graph_.in_edges, centrality::GatherShifted{gather});
      return rescale(centrality::inverse(std::sqrt(squares)));
    }
    case Centrality::katz:
      return edge_reduce_pull(exec_, graph_.in, graph_.in_edges, centrality::GatherAttenuated{gather, attenuation_});
  }
  return 0;
}

template <class Exec, class View>
AlgoStats CentralityRun<Exec, View>::run() {
  AlgoStats stats;
  iterations_ = 0;
  residual_ = 0;
  const VertexId n = graph_.num_vertices();
  if (n == 0) return stats;
  if (which_ == Centrality::katz) attenuation_ = attenuation();
  const double begin = which_ == Centrality::katz ? 0 : 1 / static_cast<double>(n);
  vertex_map(exec_, n, centrality::SetScore{scores_.data(), begin});
  const std::uint64_t edges = graph_.num_edges * (which_ == Centrality::hits ? 2 : 1);
  Progress progress("power iteration", 0, "sweep");
  do {
    std::swap(scores_, last_);
    residual_ = sweep();
    ++iterations_;
    stats.edges_examined += edges;
    progress.end_round(edges, residual_, options_.tolerance);
  } while (residual_ >= options_.tolerance && residual_ < kNoLimit && iterations_ < options_.max_iterations);
  stats.iterations = iterations_;
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
CentralityOutput CentralityRun<Exec, View>::output() {
  CentralityOutput found{which_, exec_.download(scores_), {}, iterations_, residual_};
  if (which_ == Centrality::hits) {
    found.hubs = std::exchange(found.scores, exec_.download(authorities_));
    double sum = 0;
    for (const double score : found.scores) sum += score;
    for (double& score : found.scores) score *= centrality::inverse(sum);
  } else if (which_ == Centrality::katz) {
    double squares = 0;
    for (const double score : found.scores) squares += score * score;
    found.norm = std::sqrt(squares);
    found.attenuation = attenuation_;
    for (double& score : found.scores) score *= centrality::inverse(found.norm);
  }
  return found;
}

}  // namespace graphrun::inline GR_IDS
