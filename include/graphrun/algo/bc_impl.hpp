// Betweenness centrality, both executors. From each source a search counts shortest paths level by level; then, from the last
// level back to the source, each vertex gets its dependency: the sum over its successors w, which are its out-neighbours one
// level farther, of paths(v) / paths(w) * (1 + dependency(w)) (Brandes, Journal of Mathematical Sociology 2001). Scores are sums
// of dependencies, divided by the largest of them.
//
// Both ways there is a choice of directions. A pull of counts walks whole lists, unlike one of a search, but of those vertices
// only that were not reached before, and without atomics. On the way back the edges between two levels can be examined from
// either side: in power-law graphs the last large level has most of the vertices and few of the edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/algo/bc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::bc::inline GR_IDS {

inline constexpr std::uint32_t kUnreached = ~std::uint32_t{0};
inline constexpr double kPassVertex = 0.1;  // what a vertex that a pass leaves out costs, where an edge pushed along costs 1

/// Adds to a word that other threads may add to, unless one thread does all (pushes_alone()).
GR_HD inline void add(double& sum, double value, bool alone) {
  if (alone)
    sum += value;
  else
    atomics::fetch_add(sum, value);
}

/// Counts the paths that lead over an edge to the level at `depth`.
struct Push {
  using Weight = NoWeight;
  std::uint32_t* depths;
  double* paths;
  std::uint32_t depth;
  bool alone;

  GR_HD double source(VertexId u) const { return paths[u]; }
  GR_HD bool operator()(double count, VertexId v, NoWeight) const {
    std::uint32_t seen = atomics::load(depths[v]);
    bool joins = false;
    if (seen == kUnreached) {
      joins = alone || atomics::compare_exchange(depths[v], kUnreached, depth);
      seen = depth;  // the thread that was first wrote this
      if (alone) depths[v] = depth;
    }
    if (seen == depth) add(paths[v], count, alone);
    return joins;
  }
  GR_HD double state(VertexId v) const { return paths[v]; }
  GR_HD bool take(VertexId v, double count) const {
    const bool joins = depths[v] == kUnreached;
    depths[v] = depth;
    paths[v] += count;
    return joins;
  }
};

struct Pull {
  using Value = double;
  Rows in;
  std::uint32_t* depths;
  double* paths;
  BitmapRef frontier;
  BitmapRef next;
  std::uint32_t depth;

  GR_HD bool wants(VertexId v) const { return depths[v] == kUnreached; }
  GR_HD double value(VertexId u) const { return frontier.test(u) ? paths[u] : 0.0; }
  /// The edges that were examined.
  GR_HD double finish(VertexId v, double count) const {
    if (count > 0) {
      depths[v] = depth;
      paths[v] = count;
      next.set(v);
    }
    return static_cast<double>(in.degree(v));
  }
  GR_HD double state(VertexId v) const { return depths[v] == depth ? paths[v] : 0.0; }
  GR_HD void take(VertexId v, double count) const {
    if (count == 0) return;
    depths[v] = depth;
    paths[v] = count;
    next.set(v);
  }
};

/// Of a vertex `v` whose shares were added up.
struct Finish {
  const double* paths;
  double* shares;
  double* scores;

  GR_HD void at(VertexId v) const {
    const double dependency = paths[v] * shares[v];
    scores[v] += dependency;
    shares[v] = (1 + dependency) / paths[v];
  }
};

struct FinishLevel {
  const VertexId* level;
  Finish f;
  GR_HD void operator()(std::size_t i) const { f.at(level[i]); }
};

/// Along out-edges of the nearer level; `depth` is that of the farther one. A vertex gets all by its own list.
struct Gather {
  using Weight = NoWeight;
  static constexpr bool kMeetsLater = true;
  const std::uint32_t* depths;
  double* shares;
  std::uint32_t depth;
  bool alone;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
    if (depths[v] == depth) add(shares[u], shares[v], alone);
    return false;
  }
};

/// Along in-edges of the farther level; `depth` is that of the nearer one.
struct Scatter {
  using Weight = NoWeight;
  const std::uint32_t* depths;
  double* shares;
  std::uint32_t depth;
  bool alone;

  GR_HD double source(VertexId v) const { return shares[v]; }
  GR_HD bool operator()(double share, VertexId u, NoWeight) const {
    if (depths[u] == depth) add(shares[u], share, alone);
    return false;
  }
};

struct Sweep {
  using Value = double;
  const std::uint32_t* depths;
  BitmapRef farther;
  Finish f;
  std::uint32_t depth;  // of the nearer level

  GR_HD bool wants(VertexId v) const { return depths[v] == depth; }
  GR_HD double value(VertexId v) const { return farther.test(v) ? f.shares[v] : 0.0; }
  GR_HD double finish(VertexId v, double sum) const {
    f.shares[v] = sum;
    f.at(v);
    return 0;
  }
  GR_HD double state(VertexId v) const { return f.shares[v]; }
  GR_HD void take(VertexId v, double share) const {
    if (wants(v)) f.shares[v] = share;
  }
};

struct Largest {
  const double* scores;
  double* largest;
  GR_HD void operator()(std::size_t v) const {
    if (scores[v] > atomics::load(*largest)) atomics::fetch_max(*largest, scores[v]);
  }
};

struct Scale {
  double* scores;
  double largest;
  GR_HD void operator()(std::size_t v) const { scores[v] /= largest; }
};

}  // namespace graphrun::bc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
BcRun<Exec, View>::BcRun(Exec& exec, const GraphView<View>& graph, const BcOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      depths_(exec.template make_array<std::uint32_t>(graph.num_vertices())),
      paths_(exec.template make_array<double>(graph.num_vertices())),
      shares_(exec.template make_array<double>(graph.num_vertices())),
      scores_(exec.template make_array<double>(std::size_t{graph.num_vertices()} + 1)),
      levels_(exec.template make_array<VertexId>(graph.num_vertices())),
      frontier_(exec, graph.out),
      next_(exec, graph.out),
      farther_(exec, graph.has_in ? graph.in : graph.out) {
  load_kernels<BcRun>(exec_);
  if (options_.variant == BcVariant::direction_optimizing) graph_.require_in("direction-optimizing bc");
  for (const std::uint64_t source : options_.sources) {
    if (source < graph.num_vertices()) continue;
    throw UsageError("vertex " + std::to_string(source) + " is not in the graph, which has " +
                     std::to_string(graph.num_vertices()) + " vertices: bc cannot start there");
  }
  clear();  // memory is there before the clock starts
  fill(exec_, scores_, 0.0);
  fill(exec_, levels_, VertexId{0});
}

template <class Exec, class View>
void BcRun<Exec, View>::clear() {
  fill(exec_, depths_, bc::kUnreached);
  fill(exec_, paths_, 0.0);
  fill(exec_, shares_, 0.0);
}

template <class Exec, class View>
bool BcRun<Exec, View>::better_to_pull() const {
  if (options_.variant == BcVariant::push || frontier_.edges() == 0) return false;
  const DirectionCosts cost = direction_costs(exec_, graph_.in_edges);
  const double pass = bc::kPassVertex * static_cast<double>(graph_.num_vertices());
  return pass + cost.pull_edge * static_cast<double>(unvisited_edges_) < cost.push_edge * static_cast<double>(frontier_.edges());
}

template <class Exec, class View>
void BcRun<Exec, View>::pull(std::uint32_t depth, AlgoStats& stats) {
  const BitmapRef from = frontier_.bitmap(exec_);
  const bc::Pull f{graph_.in, depths_.data(), paths_.data(), from, next_.start_empty_bitmap(exec_), depth};
  stats.edges_examined += static_cast<std::uint64_t>(edge_reduce_pull(exec_, graph_.in, graph_.in_edges, f));
  next_.count_members(exec_);
}

template <class Exec, class View>
std::vector<typename BcRun<Exec, View>::Level> BcRun<Exec, View>::search(VertexId source, AlgoStats& stats) {
  clear();
  exec_.store(depths_, source, std::uint32_t{0});
  exec_.store(paths_, source, 1.0);
  frontier_.clear();
  frontier_.insert(exec_, source);
  unvisited_edges_ = graph_.num_edges;
  std::vector<Level> levels;
  std::size_t reached = 0;
  Progress progress("counting shortest paths", 0, "level");
  while (!frontier_.empty()) {
    const Level level{reached, frontier_.size(), frontier_.edges()};
    frontier_.copy_to(exec_, levels_.data() + reached);
    reached += level.size;
    levels.push_back(level);
    unvisited_edges_ -= std::min(unvisited_edges_, level.edges);
    const auto depth = static_cast<std::uint32_t>(levels.size());
    const std::uint64_t before = stats.edges_examined;
    if (better_to_pull()) {
      pull(depth, stats);
    } else {
      const bool alone = pushes_alone(exec_, graph_.out_edges, frontier_);
      const bc::Push push{depths_.data(), paths_.data(), depth, alone};
      stats.edges_examined += edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, push, next_).edges;
    }
    ++stats.iterations;
    progress.end_round(stats.edges_examined - before);
    std::swap(frontier_, next_);
  }
  return levels;
}

template <class Exec, class View>
void BcRun<Exec, View>::finish(const Level& level) {
  const bc::Finish f{paths_.data(), shares_.data(), scores_.data()};
  vertex_map(exec_, level.size, bc::FinishLevel{levels_.data() + level.first, f});
}

template <class Exec, class View>
typename BcRun<Exec, View>::Back BcRun<Exec, View>::way_back(const Level& nearer, const Level& farther) const {
  const DirectionCosts cost = direction_costs(exec_, graph_.out_edges);
  const double gather = cost.push_edge * static_cast<double>(nearer.edges);
  const double sweep =
      bc::kPassVertex * static_cast<double>(graph_.num_vertices()) + cost.pull_edge * static_cast<double>(nearer.edges);
  const double scatter = cost.push_edge * static_cast<double>(farther.edges);
  // Of several ranks each adds up what its own lists bring: a scatter would have every rank add to all vertices.
  const bool may_scatter = options_.variant == BcVariant::direction_optimizing && exec_.part().alone();
  if (may_scatter && scatter < std::min(gather, sweep)) return Back::scatter;
  return gather < sweep ? Back::gather : Back::sweep;
}

/// What the vertices of `farther`, at `depth`, hand back, and with it the dependencies of those of `nearer`.
template <class Exec, class View>
void BcRun<Exec, View>::hand_back(const Level& nearer, const Level& farther, std::uint32_t depth, AlgoStats& stats) {
  switch (way_back(nearer, farther)) {
    case Back::gather: {
      frontier_.assign(exec_, levels_.data() + nearer.first, nearer.size, nearer.edges);
      const bool alone = pushes_alone(exec_, graph_.out_edges, frontier_);
      const bc::Gather f{depths_.data(), shares_.data(), depth, alone};
      gathered_edges_ += edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, f, next_).edges;
      finish(nearer);
      return collect_members(exec_, frontier_, shares_);
    }
    case Back::scatter: {
      farther_.assign(exec_, levels_.data() + farther.first, farther.size, farther.edges);
      const bool alone = pushes_alone(exec_, graph_.in_edges, farther_);
      const bc::Scatter f{depths_.data(), shares_.data(), depth - 1, alone};
      stats.edges_examined += edge_map_push(exec_, graph_.in, graph_.in_edges, farther_, f, next_).edges;
      return finish(nearer);
    }
    case Back::sweep:
      break;
  }
  frontier_.assign(exec_, levels_.data() + farther.first, farther.size, farther.edges);
  const bc::Finish f{paths_.data(), shares_.data(), scores_.data()};
  edge_reduce_pull(exec_, graph_.out, graph_.out_edges, bc::Sweep{depths_.data(), frontier_.bitmap(exec_), f, depth - 1});
  stats.edges_examined += nearer.edges;
}

template <class Exec, class View>
void BcRun<Exec, View>::normalise() {
  const std::size_t n = graph_.num_vertices();
  collect_parts(exec_, scores_);
  vertex_map(exec_, n, bc::Largest{scores_.data(), scores_.data() + n});
  largest_ = exec_.fetch(scores_, n);
  if (largest_ > 0) vertex_map(exec_, n, bc::Scale{scores_.data(), largest_});
}

template <class Exec, class View>
AlgoStats BcRun<Exec, View>::run() {
  AlgoStats stats;
  gathered_edges_ = 0;
  fill(exec_, scores_, 0.0);
  for (const std::uint64_t source : options_.sources) {
    const std::vector<Level> levels = search(static_cast<VertexId>(source), stats);
    finish(levels.back());
    for (std::size_t depth = levels.size() - 1; depth > 0; --depth)
      hand_back(levels[depth - 1], levels[depth], static_cast<std::uint32_t>(depth), stats);
  }
  stats.edges_examined += sum_of_ranks(exec_, gathered_edges_);
  normalise();
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
BcOutput BcRun<Exec, View>::output() {
  BcOutput output{exec_.download(scores_), options_.sources, largest_};
  output.scores.resize(graph_.num_vertices());
  const bool counted = std::isfinite(largest_) &&
                       std::all_of(output.scores.begin(), output.scores.end(), [](double score) { return std::isfinite(score); });
  if (!counted) {
    throw UsageError(
        "there are more shortest paths from one of the sources to some vertex than the largest 64-bit float: bc cannot count "
        "them");
  }
  return output;
}

}  // namespace graphrun::inline GR_IDS
