// PageRank, both executors. Both variants solve y = (1-d)/n + d * sum over u -> v of y(u)/outdeg(u) and scale y to sum 1
// at the end. That needs no bookkeeping for dangling vertices: spreading their rank uniformly only adds a multiple of
// the teleport vector, so the solution is the same up to that scale (Del Corso, Gulli and Romani, Internet Mathematics 2005).
//
// Ranks are kept multiplied by n, so that 32-bit floats hold them near 1 whatever the number of vertices.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "graphrun/algo/pagerank.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::pagerank::inline GR_IDS {

/// Gathers shares. Vertices that gather after v in the same sweep use the new share of v.
template <class Score>
struct Gather {
  using Value = Score;
  Rows out;
  Score* ranks;
  Score* shares;
  Score teleport;
  Score damping;

  GR_HD Score value(VertexId u) const { return atomics::load(shares[u]); }
  GR_HD double finish(VertexId v, Score sum) const {
    const Score updated = teleport + damping * sum;
    const double change = static_cast<double>(updated) - static_cast<double>(ranks[v]);
    ranks[v] = updated;
    const EdgeId degree = out.degree(v);
    if (degree != 0)
      atomics::store(shares[v], updated / static_cast<Score>(static_cast<std::int64_t>(degree)));  // signed converts faster
    return fabs(change);  // without a branch: its sign is a coin toss
  }
};

template <class Score>
struct StartPull {
  Rows out;
  Score* ranks;
  Score* shares;
  Score initial;
  GR_HD void operator()(std::size_t v) const {
    ranks[v] = initial;
    const EdgeId degree = out.offsets[v + 1] - out.offsets[v];
    shares[v] = degree == 0 ? Score{0} : initial / static_cast<Score>(degree);
  }
};

template <class Score>
struct StartPush {
  Score* ranks;
  Score* residuals;
  Score teleport;
  GR_HD void operator()(std::size_t v) const {
    ranks[v] = 0;
    residuals[v] = teleport;
  }
};

/// Moves the residual of a vertex into its rank, and adds a share of it to the residual of each neighbour. The addition that
/// lifts a residual over the threshold puts the neighbour into the frontier. In any order of additions, no residual is over the
/// threshold in the end.
template <class Score>
struct Spread {
  using Weight = NoWeight;
  static constexpr bool kCorrecting = true;
  static constexpr bool kJoinsOnce = true;  // only prepare() takes a residual below the threshold again
  Rows out;
  Score* ranks;
  Score* residuals;
  Score* shares;
  Score damping;
  Score threshold;

  GR_HD void prepare(VertexId u) const {
    const Score residual = residuals[u];
    residuals[u] = 0;
    ranks[u] += residual;
    const EdgeId degree = out.degree(u);
    shares[u] = degree == 0 ? Score{0} : damping * residual / static_cast<Score>(degree);
  }
  GR_HD Score source(VertexId u) const { return shares[u]; }
  GR_HD bool operator()(Score share, VertexId v, NoWeight) const {
    const Score before = atomics::fetch_add(residuals[v], share);
    return before <= threshold && before + share > threshold;
  }
};

template <class Score>
struct Value {
  const Score* values;
  GR_HD double operator()(std::size_t v) const { return static_cast<double>(values[v]); }
};

}  // namespace graphrun::pagerank::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View, class Score>
PagerankRun<Exec, View, Score>::PagerankRun(Exec& exec, const GraphView<View>& graph, const PagerankOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      ranks_(exec.template make_array<Score>(graph.num_vertices())),
      shares_(exec.template make_array<Score>(graph.num_vertices())) {
  if (options_.variant == PagerankVariant::pull) graph_.require_in("pagerank by pull");
  if (options_.variant == PagerankVariant::push) {
    residuals_ = exec.template make_array<Score>(graph.num_vertices());
    frontier_.emplace(exec, graph.out);
    next_.emplace(exec, graph.out);
  }
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run() {
  iterations_ = 0;
  residual_ = 0;
  if (graph_.num_vertices() == 0) return {};
  const AlgoStats stats = options_.variant == PagerankVariant::push ? run_push() : run_pull();
  exec_.synchronize();
  return stats;
}

template <class Exec, class View, class Score>
double PagerankRun<Exec, View, Score>::rank_sum() {
  return vertex_sum<double>(exec_, graph_.num_vertices(), pagerank::Value<Score>{ranks_.data()});
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_pull() {
  const auto n = static_cast<double>(graph_.num_vertices());
  const auto teleport = static_cast<Score>(1 - options_.damping);
  vertex_map(exec_, graph_.num_vertices(), pagerank::StartPull<Score>{graph_.out, ranks_.data(), shares_.data(), Score{1}});
  const pagerank::Gather<Score> gather{graph_.out, ranks_.data(), shares_.data(), teleport, static_cast<Score>(options_.damping)};
  AlgoStats stats;
  Progress progress("pagerank", 0, "sweep");
  do {
    const double change = edge_reduce_pull(exec_, graph_.in, graph_.in_edges, gather);
    residual_ = change / n;  // near enough to tell when the sum is worth taking
    if (residual_ < options_.tolerance || iterations_ + 1 == options_.max_iterations) residual_ = change / rank_sum();
    stats.edges_examined += graph_.num_edges;
    ++iterations_;
    progress.end_round(graph_.num_edges, residual_, options_.tolerance);
  } while (residual_ >= options_.tolerance && iterations_ < options_.max_iterations);
  stats.iterations = iterations_;
  return stats;
}

template <class Exec, class View, class Score>
AlgoStats PagerankRun<Exec, View, Score>::run_push() {
  const VertexId n = graph_.num_vertices();
  // What stays below the threshold is at most tolerance of the total, so an empty frontier means converged.
  const auto threshold = static_cast<Score>(options_.tolerance * options_.damping * (1 - options_.damping) / 2);
  vertex_map(exec_, n, pagerank::StartPush<Score>{ranks_.data(), residuals_.data(), static_cast<Score>(1 - options_.damping)});
  frontier_->insert_all(exec_);
  const pagerank::Spread<Score> spread{
      graph_.out, ranks_.data(), residuals_.data(), shares_.data(), static_cast<Score>(options_.damping), threshold};
  AlgoStats stats;
  Progress progress("pagerank", 0, "sweep");
  do {
    const EdgeMapStats step = edge_map_push(exec_, graph_.out, graph_.out_edges, *frontier_, spread, *next_);
    stats.edges_examined += step.edges;
    ++iterations_;
    std::swap(*frontier_, *next_);
    const double left = vertex_sum<double>(exec_, n, pagerank::Value<Score>{residuals_.data()});
    residual_ = left / rank_sum() / options_.damping;  // as if the residual were what the last sweep left behind
    progress.end_round(step.edges, residual_, options_.tolerance);
  } while (residual_ >= options_.tolerance && !frontier_->empty() && iterations_ < options_.max_iterations);
  stats.iterations = iterations_;
  return stats;
}

template <class Exec, class View, class Score>
PagerankOutput PagerankRun<Exec, View, Score>::output() {
  const std::vector<Score> found = exec_.download(ranks_);
  PagerankOutput result{std::vector<double>(found.begin(), found.end()), iterations_, residual_};
  long double sum = 0;
  for (const double rank : result.ranks) sum += rank;
  for (double& rank : result.ranks) rank = static_cast<double>(rank / sum);
  return result;
}

}  // namespace graphrun::inline GR_IDS
