// SPDX-License-Identifier: Apache-2.0
// PageRank's bounds for single vertices: the residual of the scores, and pushes of it until it is small everywhere.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "algorithms/pagerank/pagerank_functors.hpp"
#include "graphrun/algorithms/pagerank.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::inline GR_IDS {

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::settle() {
  const VertexId n = graph_.num_vertices();
  keep_only_ranks();
  vectors_[current_].hold_all(exec_);  // a push changes scores of all vertices on all ranks
  auto residuals = exec_.template make_array<double>(n);
  auto shares = exec_.template make_array<double>(n);
  frontier_.emplace(exec_, graph_.out);
  next_.emplace(exec_, graph_.out);
  AlgoStats stats;
  Progress progress("pagerank", 0, "push");
  // Residuals just below the threshold at all vertices of a mesh let a front of few vertices cross it, round by round (2353 on
  // grid:4096:4096). This many rounds take as long as a sweep, which leaves 0.85 of all residuals.
  constexpr int kEdgesARound = std::is_same_v<Exec, CpuExecutor> ? 1 << 13 : 1 << 20;
  const std::uint64_t most_rounds = 64 + graph_.num_edges / kEdgesARound;
  for (;;) {
    const double mass = certify(shares, residuals.data());
    collect_parts(exec_, residuals);
    stats.edges_examined += graph_.num_edges;
    if (is_settled() || iterations_ >= options_.max_iterations) return stats;
    // Half: the teleported score changes with the sum of scores, at most by the mean remaining residual. With few teleport
    // targets, all of the rest may arrive there.
    const double threshold = options_.tolerance * mass / n / 2 / spread_;
    vertex_filter(exec_, n, pagerank::Exceeding{residuals.data(), threshold}, *frontier_);
    if (frontier_->empty()) return stats;  // the rest is rounding
    const pagerank::Settle<Score, double> push{graph_.out,    vectors_[current_].data(), residuals.data(),
                                               shares.data(), options_.damping,          threshold};
    // Most rounds have few edges: pushes along all edges' number count as one iteration.
    std::uint64_t rounds = 0;
    for (EdgeId pushed = 0; !frontier_->empty() && iterations_ < options_.max_iterations; ++rounds) {
      if (rounds == most_rounds) {  // certify() computes the residual after this sweep
        vertex_map(exec_, n, PrepareEach<pagerank::Settle<Score, double>>{push});
        break;
      }
      const EdgeMapStats step = edge_map_push(exec_, graph_.out, graph_.out_edges, *frontier_, push, *next_);
      stats.edges_examined += step.edges;
      std::swap(*frontier_, *next_);
      progress.end_round(step.edges);
      pushed += step.edges;
      for (; pushed >= graph_.num_edges; pushed -= graph_.num_edges) ++iterations_;
    }
    ++iterations_;
  }
}

template <class Exec, class View, class Score>
double PagerankRun<Exec, View, Score>::certify(Array<double>& shares, double* residuals) {
  const VertexId vertices = graph_.num_vertices();
  Score* const ranks = vectors_[current_].data();
  const double d = options_.damping;
  auto largest = exec_.template make_array<double>(1);
  exec_.store(largest, 0, 0.0);
  const Sums<2> mass = own_sum<Sums<2>>(exec_, vertices, pagerank::ExactShares<Score>{graph_.out, ranks, shares.data()});
  collect_parts(exec_, shares);
  const double teleport = ((1 - d) * mass.of[0] + d * mass.of[1]) / static_cast<double>(vertices) * spread_;
  const double change = edge_reduce_pull(exec_, graph_.in, graph_.in_edges,
                                         pagerank::Residual<Score>{ranks, shares.data(), largest.data(), residuals,
                                                                   pagerank::Restarts{{restarts_.data()}}, teleport, d});
  certificate_ = PagerankCertificate{change / mass.of[0], largest_of_ranks(exec_, exec_.fetch(largest, 0)) / mass.of[0]};
  return mass.of[0];
}

}  // namespace graphrun::inline GR_IDS
