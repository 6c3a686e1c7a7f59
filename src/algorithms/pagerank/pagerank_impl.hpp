// SPDX-License-Identifier: Apache-2.0
// PageRank, both executors; docs/algorithms/pagerank.md has the equation and its source.
//
// Let v be the teleport vector: 1/n everywhere, or 1/k at each of k restarts. `pull` and `push` solve y = (1-d) v + d * sum over
// u -> w of y(u)/outdeg(u) and scale y to sum 1 at the end. Dangling vertices need no bookkeeping: their score would only add a
// multiple of v, which the scaling removes (Del Corso, Gulli and Romani, Internet Mathematics 2005). The others replace
// (1-d) v by ((1-d) * sum of y + d * score of dangling vertices) v, so that solutions of any sum are fixed points.
//
// Scores are kept multiplied by n, so that 32-bit floats hold them near 1 for any number of vertices.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/pagerank/pagerank_functors.hpp"
#include "algorithms/pagerank/settle_impl.hpp"
#include "graphrun/algorithms/pagerank.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/checkpoint.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/device_packed_view.hpp"

namespace graphrun::pagerank::inline GR_IDS {

/// Scores are 64-bit floats where edges have weights, and packed lists of a GPU have none.
template <class View, class Score>
inline constexpr bool may_be_weighted = std::is_same_v<Score, double> && !std::is_same_v<View, DevicePackedView>;

}  // namespace graphrun::pagerank::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View, class Score>
PagerankRun<Exec, View, Score>::PagerankRun(Exec& exec, const GraphView<View>& graph, const PagerankOptions& options,
                                            WeightKind weights)
    : exec_(exec), graph_(graph), options_(options), weights_(weights) {
  load_kernels<PagerankRun>(exec_);
  const VertexId n = graph.num_vertices();
  if (reads_in_edges(options_)) graph_.require_in(is_certified(options_) ? "pagerank with a certificate" : "pagerank by pull");
  if (requires_push(options_)) options_.variant = PagerankVariant::push;
  const bool extrapolated = options_.variant == PagerankVariant::extrapolated;
  const RankPart held = options_.variant == PagerankVariant::push ? RankPart{} : exec.part();
  for (std::size_t k = 0; k < (extrapolated ? vectors_.size() : 1); ++k) vectors_[k] = {exec, n, held};
  shares_ = exec.template make_array<Score>(n);
  if (options_.variant == PagerankVariant::push) {
    residuals_ = exec.template make_array<Score>(n);
    frontier_.emplace(exec, graph.out);
    next_.emplace(exec, graph.out);
  }
  if (options_.weighted) weight_sums_ = exec.template make_array<double>(n);
  if (!options_.restarts.empty()) mark_restarts();
  if (extrapolated || options_.variant == PagerankVariant::pull) enter_others();
}

template <class Exec, class View, class Score>
void PagerankRun<Exec, View, Score>::enter_others() {
  if (exec_.part().ranks() > pagerank::Elsewhere<Score>::kMost + 1) {
    if (exec_.answers()) log::info("pagerank over more than 8 ranks: a sweep uses scores of other parts a sweep late");
    return;
  }
  others_ = ranks::places_elsewhere(exec_, shares_.data());
  if (others_.empty()) exec_.leave_others();
}

template <class Exec, class View, class Score>
template <class Body>
auto PagerankRun<Exec, View, Score>::with_elsewhere(const Body& body) const {
  if constexpr (std::is_same_v<Exec, CpuExecutor>) {
    if (others_.empty()) return body(pagerank::Nowhere{});
  }
  pagerank::Elsewhere<Score> places;
  for (Score* const shares : others_) places.places[places.count++] = shares;
  return body(places);
}

template <class Exec, class View, class Score>
void PagerankRun<Exec, View, Score>::mark_restarts() {
  const std::uint64_t n = graph_.num_vertices();
  std::map<std::uint64_t, std::uint32_t> words;
  std::uint64_t count = 0;
  for (const std::uint64_t v : options_.restarts) {
    if (v >= n) throw UsageError("pagerank cannot restart at vertex " + std::to_string(v) + ": there are " + std::to_string(n));
    std::uint32_t& word = words[v / 32];
    count += (word >> (v % 32) & 1u) == 0 ? 1 : 0;
    word |= 1u << (v % 32);
  }
  restarts_ = exec_.template make_array<std::uint32_t>(BitmapRef::words_for(n));
  fill(exec_, restarts_, 0u);
  for (const auto& [index, word] : words) exec_.store(restarts_, index, word);
  spread_ = static_cast<double>(n) / static_cast<double>(count);
  if (options_.shares.empty()) return;
  const double mean = std::accumulate(options_.shares.begin(), options_.shares.end(), 0.0) / static_cast<double>(count);
  restart_shares_ = exec_.template make_array<double>(n);
  fill(exec_, restart_shares_, 0.0);
  for (std::size_t i = 0; i < options_.restarts.size(); ++i)
    exec_.store(restart_shares_, options_.restarts[i], options_.shares[i] / mean);
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run() {
  iterations_ = 0;
  residual_ = 0;
  current_ = 0;
  certificate_.reset();
  if (graph_.num_vertices() == 0) {
    if (is_certified(options_)) certificate_.emplace();
    return {};
  }
  AlgoStats stats;
  try {
    stats = sweep();
  } catch (...) {
    if (!others_.empty()) exec_.keep(std::move(shares_));
    throw;
  }
  if (!others_.empty()) {  // before one of them frees its copy
    others_.clear();
    exec_.leave_others();
    exec_.synchronize();
  }
  if (options_.stop == PagerankStop::largest) {
    stats.edges_examined += settle().edges_examined;
  } else if (options_.certify) {
    keep_only_ranks();  // makes room for 64-bit shares
    auto shares = exec_.template make_array<double>(graph_.num_vertices());
    certify(shares, nullptr);
    stats.edges_examined += graph_.num_edges;
  }
  stats.iterations = iterations_;
  exec_.synchronize();
  return stats;
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::sweep() {
  switch (options_.variant) {
    case PagerankVariant::extrapolated:
      return run_extrapolated();
    case PagerankVariant::pull:
      return run_pull();
    case PagerankVariant::push:
      return run_push();
    case PagerankVariant::synchronous:
      return run_synchronous();
  }
  return {};
}

template <class Exec, class View, class Score>
double PagerankRun<Exec, View, Score>::rank_sum() {
  return own_sum<double>(exec_, graph_.num_vertices(), pagerank::Value<Score>{vectors_[0].data()});
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_extrapolated() {
  const VertexId vertices = graph_.num_vertices();
  const auto n = static_cast<double>(vertices);
  const double d = options_.damping;
  const auto edges = static_cast<double>(graph_.num_edges);
  const pagerank::Restarts restarts{restarts_.data()};
  // A random graph with n log n edges is connected, without isolated vertices (Erdos and Renyi): scores start near the stationary
  // distribution of its walk. In others each component would start with a wrong total, which changes slowly.
  const bool by_degree = options_.restarts.empty() && edges > n * std::log(n) &&
                         own_sum<double>(exec_, vertices, pagerank::Isolated{graph_.out, graph_.in}) == 0;
  const Sums<3> start = own_sum<Sums<3>>(exec_, vertices,
                                         pagerank::Start<Score>{graph_.out, graph_.in, vectors_[0].data(), shares_.data(),
                                                                restarts, at_restarts(by_degree ? 1 - d : 1), at_restarts(1 - d),
                                                                by_degree ? static_cast<Score>(d * n / edges) : Score{0}});
  Sums<2> mass{{start.of[0], start.of[1]}};
  // Isolated vertices have the teleported score at once. A sweep that counts them changes the total of the others.
  const double isolated = options_.restarts.empty() && edges != 0 ? start.of[2] : 0;
  collect_parts(exec_, shares_);
  // Returns the teleported score of a vertex: the balance of vertices with edges. `isolated_score` is that of each other one.
  const auto teleported = [&](const Sums<2>& of, double isolated_score) {
    return ((1 - d) * of.of[0] + d * of.of[1] - isolated * isolated_score) / (n - isolated);
  };
  AlgoStats stats;
  Progress progress("pagerank", 0, "sweep");
  std::array<double, 4> sums{};
  std::array<double, 4> isolated_scores{static_cast<double>(at_restarts(1 - d))};  // one for each vector
  std::uint64_t between = pagerank::kSweepsBetween;
  std::uint64_t next_extrapolation = between;
  double left_before = std::numeric_limits<double>::infinity();  // at the last extrapolation
  bool done = false;
  SavedState state(exec_, vectors_[0].held(), vectors_[1].held(), vectors_[2].held(), vectors_[3].held(), shares_, current_,
                   iterations_, residual_, mass, sums, isolated_scores, between, next_extrapolation, left_before, done);
  for (; !done; state.save()) {
    const std::size_t next = (current_ + 1) % vectors_.size();
    const double before_isolated = isolated_scores[current_];
    const double teleport = teleported(mass, before_isolated);
    const auto gather_with = [&]<class Others>(const Others& others) {
      const pagerank::Gather<Score, Others> gather{.out = graph_.out,
                                                   .before = vectors_[current_].data(),
                                                   .after = vectors_[next].data(),
                                                   .shares = shares_.data(),
                                                   .restarts = restarts,
                                                   .teleport = at_restarts(teleport),
                                                   .damping = static_cast<Score>(d),
                                                   .elsewhere = others};
      if constexpr (reduces_to_sums<Exec, View>) {
        return edge_reduce_pull(exec_, graph_.in, graph_.in_edges, pagerank::GatherMass<Score, Others>{gather});
      } else {
        const double change = edge_reduce_pull(exec_, graph_.in, graph_.in_edges, gather);
        const Sums<2> masses = own_sum<Sums<2>>(exec_, vertices, pagerank::Mass<Score>{graph_.out, vectors_[next].data()});
        return Sums<3>{{change, masses.of[0], masses.of[1]}};
      }
    };
    const Sums<3> found = with_elsewhere(gather_with);
    const double change = found.of[0];
    const Sums<2> after{{found.of[1], found.of[2]}};
    const Score* const before = vectors_[current_].data();
    mass = after;
    current_ = next;
    isolated_scores[current_] = static_cast<double>(at_restarts(teleport));
    // No vertex gathers from isolated ones. What T teleports differs by (n - isolated) / n of the difference of two balances.
    const double unread = isolated * std::abs(isolated_scores[current_] - before_isolated);
    const double teleports = (n - isolated) * std::abs(teleported(mass, isolated_scores[current_]) - teleport);
    residual_ = (std::max(change - unread, 0.0) + teleports / d) / mass.of[0];
    sums[current_] = mass.of[0];
    stats.edges_examined += graph_.num_edges;
    ++iterations_;
    progress.end_round(graph_.num_edges, residual_, options_.tolerance);
    done = options_.stop == PagerankStop::sum ? residual_ < options_.tolerance : few_are_left(before, mass.of[0]);
    done = done || iterations_ >= options_.max_iterations;
    if (done || iterations_ < next_extrapolation) continue;
    // An extrapolation that later sweeps have not made good gives the next one more sweeps. After enough sweeps two directions
    // remain, which the next one cancels.
    if (residual_ >= left_before) between *= 2;
    left_before = residual_;
    next_extrapolation = iterations_ + between;
    if (const auto extrapolated = extrapolate(sums, isolated_scores)) mass = *extrapolated;
  }
  return stats;
}

template <class Exec, class View, class Score>
std::optional<Sums<2>> PagerankRun<Exec, View, Score>::extrapolate(const std::array<double, 4>& sums,
                                                                   std::array<double, 4>& isolated_scores) {
  constexpr double kMostWeight = 1e4;
  const VertexId vertices = graph_.num_vertices();
  const std::size_t oldest = (current_ + 1) % vectors_.size();
  pagerank::LastVectors<Score> last;
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    const std::size_t place = (oldest + k) % vectors_.size();
    last.ranks[k] = vectors_[place].data();
    last.scale[k] = static_cast<double>(vertices) / sums[place];
  }
  const auto weights = pagerank::rre_weights(own_sum<Sums<5>>(exec_, vertices, pagerank::Products<Score>{last}));
  if (!weights) return std::nullopt;
  double magnified = 0;
  for (std::size_t k = 0; k < weights->size(); ++k) {
    const double weight = (*weights)[k];
    if (std::abs(weight) > kMostWeight) return std::nullopt;
    magnified += std::abs(weight);
    last.scale[k] *= weight;
  }
  // Rounding of the vectors must stay below the remaining change.
  if (magnified * static_cast<double>(std::numeric_limits<Score>::epsilon()) > residual_) return std::nullopt;
  current_ = oldest;
  const double least = (1 - options_.damping) * spread_;
  double combined = 0;
  for (std::size_t k = 1; k < vectors_.size(); ++k) combined += last.scale[k] * isolated_scores[(oldest + k) % vectors_.size()];
  isolated_scores[current_] = static_cast<double>(static_cast<Score>(std::max(combined, least)));
  const Sums<2> mass = own_sum<Sums<2>>(exec_, vertices,
                                        pagerank::Combine<Score>{graph_.out, last, vectors_[oldest].data(), shares_.data(),
                                                                 pagerank::Restarts{{restarts_.data()}}, least});
  collect_parts(exec_, shares_);
  return mass;
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_pull() {
  const auto n = static_cast<double>(graph_.num_vertices());
  const pagerank::Restarts restarts{restarts_.data()};
  Score* const ranks = vectors_[0].data();
  own_sum<Sums<3>>(
      exec_, graph_.num_vertices(),
      pagerank::Start<Score>{graph_.out, graph_.in, ranks, shares_.data(), restarts, at_restarts(1), at_restarts(1), Score{0}});
  collect_parts(exec_, shares_);
  const auto gather_with = [&]<class Others>(const Others& others) {
    return edge_reduce_pull(exec_, graph_.in, graph_.in_edges,
                            pagerank::Gather<Score, Others>{.out = graph_.out,
                                                            .before = ranks,
                                                            .after = ranks,
                                                            .shares = shares_.data(),
                                                            .restarts = restarts,
                                                            .teleport = at_restarts(1 - options_.damping),
                                                            .damping = static_cast<Score>(options_.damping),
                                                            .elsewhere = others});
  };
  AlgoStats stats;
  Progress progress("pagerank", 0, "sweep");
  residual_ = std::numeric_limits<double>::infinity();
  SavedState state(exec_, vectors_[0].held(), shares_, iterations_, residual_);
  for (; residual_ >= options_.tolerance && iterations_ < options_.max_iterations; state.save()) {
    const double change = with_elsewhere(gather_with);
    residual_ = change / n;  // close enough to decide when the sum is worth computing
    if (residual_ < options_.tolerance || iterations_ + 1 == options_.max_iterations) residual_ = change / rank_sum();
    stats.edges_examined += graph_.num_edges;
    ++iterations_;
    progress.end_round(graph_.num_edges, residual_, options_.tolerance);
  }
  return stats;
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_push() {
  const VertexId n = graph_.num_vertices();
  // The rest below the threshold is at most tolerance of the total, so an empty frontier means converged.
  const auto threshold = static_cast<Score>(options_.tolerance * options_.damping * (1 - options_.damping) / 2);
  Score* const ranks = vectors_[0].data();
  const pagerank::Restarts restarts{restarts_.data()};
  if (options_.weighted) sum_weights();
  vertex_map(
      exec_, n,
      pagerank::StartPush<Score>{ranks, residuals_.data(), restarts, at_restarts(1 - options_.damping), restart_shares_.data()});
  residual_ = std::numeric_limits<double>::infinity();
  SavedState state(exec_, vectors_[0].held(), residuals_, iterations_, residual_);
  if (options_.restarts.empty() || state.resumed()) {
    frontier_->insert_all(exec_);
  } else {
    vertex_filter(exec_, n, restarts, *frontier_);
  }
  const pagerank::Spread<Score> spread{
      {graph_.out, ranks, residuals_.data(), shares_.data(), static_cast<Score>(options_.damping), threshold}};
  if (!options_.weighted) return push_by(spread, state);
  if constexpr (pagerank::may_be_weighted<View, Score>) {
    AlgoStats stats = push_by(pagerank::SpreadByWeight{spread, weight_sums_.data(), {weights_, graph_.weight_table}}, state);
    stats.edges_examined += graph_.num_edges;
    return stats;
  }
  return {};
}

template <class Exec, class View, class Score>
void PagerankRun<Exec, View, Score>::sum_weights() {
  if constexpr (pagerank::may_be_weighted<View, Score>) {
    fill(exec_, weight_sums_, 0.0);
    frontier_->insert_all(exec_);
    const SumWeights sums{weight_sums_.data(), {weights_, graph_.weight_table}};
    edge_map_push(exec_, graph_.out, graph_.out_edges, *frontier_, sums, *next_);
    collect_parts(exec_, weight_sums_);
    frontier_->clear();
  }
}

template <class Exec, class View, class Score>
template <class Push, class State>
AlgoStats PagerankRun<Exec, View, Score>::push_by(const Push& push, State& state) {
  const VertexId n = graph_.num_vertices();
  AlgoStats stats;
  Progress progress("pagerank", 0, "sweep");
  for (; residual_ >= options_.tolerance && !frontier_->empty() && iterations_ < options_.max_iterations; state.save()) {
    const EdgeMapStats step = edge_map_push(exec_, graph_.out, graph_.out_edges, *frontier_, push, *next_);
    stats.edges_examined += step.edges;
    ++iterations_;
    std::swap(*frontier_, *next_);
    const double left = vertex_sum<double>(exec_, n, pagerank::Value<Score>{residuals_.data()});
    residual_ = left / rank_sum() / options_.damping;  // in the terms of a sweep's residual
    progress.end_round(step.edges, residual_, options_.tolerance);
  }
  return stats;
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_synchronous() {
  const VertexId vertices = graph_.num_vertices();
  const double d = options_.damping;
  const pagerank::Restarts restarts{restarts_.data()};
  Score* const ranks = vectors_[0].data();
  auto next_shares = exec_.template make_array<Score>(vertices);
  const Sums<3> start = own_sum<Sums<3>>(
      exec_, vertices,
      pagerank::Start<Score>{graph_.out, graph_.in, ranks, shares_.data(), restarts, at_restarts(1), at_restarts(1), Score{0}});
  Sums<2> mass{{start.of[0], start.of[1]}};
  collect_parts(exec_, shares_);
  AlgoStats stats;
  Progress progress("pagerank", options_.max_iterations, "sweep");
  SavedState state(exec_, vectors_[0].held(), shares_, mass, iterations_, residual_);
  progress.advance(iterations_);
  for (; iterations_ < options_.max_iterations; state.save()) {
    const double teleported = ((1 - d) * mass.of[0] + d * mass.of[1]) / static_cast<double>(vertices);
    const pagerank::GatherLast<Score> gather{
        {graph_.out, ranks, ranks, next_shares.data(), restarts, at_restarts(teleported), static_cast<Score>(d)}, shares_.data()};
    const double change = edge_reduce_pull(exec_, graph_.in, graph_.in_edges, gather);
    mass = own_sum<Sums<2>>(exec_, vertices, pagerank::Mass<Score>{graph_.out, ranks});
    residual_ = change / mass.of[0];
    std::swap(shares_, next_shares);
    stats.edges_examined += graph_.num_edges;
    ++iterations_;
    progress.advance(1);
  }
  return stats;
}

template <class Exec, class View, class Score>
void PagerankRun<Exec, View, Score>::keep_only_ranks() {
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    if (k != current_) vectors_[k] = {};
  }
  shares_ = {};
  residuals_ = {};
  weight_sums_ = {};
  frontier_.reset();
  next_.reset();
}

template <class Exec, class View, class Score>
bool PagerankRun<Exec, View, Score>::few_are_left(const Score* before, double mass) {
  // Until they are settled, residuals are pushed along three times as many edges (kron:18, web:18); a sweep's edge costs less
  // than a push's.
  constexpr double kFewEdges = 1.0 / 8;
  const VertexId n = graph_.num_vertices();
  const pagerank::ChangedEdges<Score> changed{graph_.out, before, vectors_[current_].data(), options_.tolerance * mass / n};
  return own_sum<double>(exec_, n, changed) <= kFewEdges * static_cast<double>(graph_.num_edges);
}

template <class Exec, class View, class Score>
void PagerankRun<Exec, View, Score>::collect() {
  keep_only_ranks();
  found_ = vectors_[current_].download(exec_);
}

template <class Exec, class View, class Score>
PagerankOutput PagerankRun<Exec, View, Score>::output() {
  PagerankOutput result{std::vector<double>(found_.begin(), found_.end()), iterations_, residual_, certificate_,
                        8 * sizeof(Score)};
  found_ = {};
  long double sum = 0;
  for (const double rank : result.ranks) sum += rank;
  for (double& rank : result.ranks) rank = static_cast<double>(rank / sum);
  return result;
}

}  // namespace graphrun::inline GR_IDS
