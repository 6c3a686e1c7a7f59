// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality, both executors. From each source a search counts shortest paths level by level. Backward from the last
// level, each vertex gets its dependency: the sum over its successors w, its out-neighbours one level farther, of paths(v) /
// paths(w) * (1 + dependency(w)) (Brandes, Journal of Mathematical Sociology 2001). Scores are sums of dependencies, divided by
// BcDefinition.
//
// Both phases choose a direction. A pull of counts scans whole lists, unlike a search's, but only of unreached vertices, and
// without atomics. Backward, the edges between two levels can be examined from either side: in power-law graphs the last large
// level has most of the vertices and few of the edges.
//
// Counts are doubles. A search with more than 2^900 paths to a vertex is repeated with wide exponents (path_count.hpp), and later
// searches start with these. Wide counts are only pushed, and gathered backward: such graphs are meshes, whose levels are small.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/bc/bc_functors.hpp"
#include "graphrun/algorithms/bc.hpp"
#include "graphrun/algorithms/path_count.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/checkpoint.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::bc::inline GR_IDS {

inline constexpr double kPassVertex = 0.1;  // cost of a vertex that a pass skips, in pushed edges
inline constexpr double kDoubleBits = 900;  // of counts whose reciprocals are normal doubles, too
inline constexpr double kWideBits = 4194302;

/// Returns the divisor of sums of dependencies, except for BcDefinition::gap.
inline double divisor(const BcOptions& options, std::uint64_t num_vertices, bool symmetric) {
  if (options.definition == BcDefinition::exact) return symmetric ? 2 : 1;
  if (num_vertices <= 2) return 1;  // all are 0
  const auto n = static_cast<double>(num_vertices);
  const double sampled = options.sampled ? static_cast<double>(options.sources.size()) / n : 1;
  return (n - 1) * (n - 2) * sampled;
}

}  // namespace graphrun::bc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
BcRun<Exec, View>::BcRun(Exec& exec, const GraphView<View>& graph, const BcOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      depths_(exec.template make_array<std::uint32_t>(graph.num_vertices())),
      paths_(exec.template make_array<double>(std::size_t{graph.num_vertices()} + 1)),
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
  clear();  // touches memory before timing starts
  fill(exec_, scores_, 0.0);
  fill(exec_, levels_, VertexId{0});
}

template <class Exec, class View>
void BcRun<Exec, View>::clear() {
  fill(exec_, depths_, bc::kUnreached);
  if (is_wide_)
    fill(exec_, wide_paths_, path_count::Word{0});
  else
    fill(exec_, paths_, 0.0);
  fill(exec_, shares_, 0.0);
}

template <class Exec, class View>
void BcRun<Exec, View>::widen() {
  paths_ = Array<double>();  // frees memory for the others
  wide_paths_ = exec_.template make_array<path_count::Word>(std::size_t{graph_.num_vertices()} + 1);
  is_wide_ = true;
}

template <class Exec, class View>
bool BcRun<Exec, View>::better_to_pull() const {
  if (options_.variant == BcVariant::push || is_wide_ || frontier_.edges() == 0) return false;
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
template <class Count>
void BcRun<Exec, View>::push(Array<Count>& paths, std::uint32_t depth, AlgoStats& stats) {
  const bool alone = pushes_alone(exec_, graph_.out_edges, frontier_);
  const bc::Push<Count> f{depths_.data(), paths.data(), depth, alone};
  stats.edges_examined += edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, f, next_).edges;
}

template <class Exec, class View>
template <class Value>
Value BcRun<Exec, View>::largest_of(Array<Value>& values) {
  using Largest = bc::Largest<Value>;
  const std::size_t n = graph_.num_vertices();
  vertex_map(exec_, (n + Largest::kBlock - 1) / Largest::kBlock, Largest{values.data(), n, values.data() + n});
  return exec_.fetch(values, n);
}

template <class Exec, class View>
bool BcRun<Exec, View>::has_too_many_paths(std::size_t levels) {
  // Between levels a count grows at most by the factor of their edges.
  if (levels < 2) return false;
  const auto steps = static_cast<double>(levels - 1);
  const double most_bits = steps * std::log2(std::max(1.0, static_cast<double>(graph_.num_edges) / steps));
  if (most_bits < (is_wide_ ? bc::kWideBits : bc::kDoubleBits)) return false;
  // Ranks add counts in different orders, but must decide alike.
  if (is_wide_) return largest_of_ranks(exec_, largest_of(wide_paths_)) >= path_count::kTooMany;
  return largest_of_ranks(exec_, largest_of(paths_)) > std::ldexp(1.0, static_cast<int>(bc::kDoubleBits));
}

template <class Exec, class View>
std::vector<typename BcRun<Exec, View>::Level> BcRun<Exec, View>::search(VertexId source, AlgoStats& stats) {
  std::vector<Level> levels = count_paths(source, stats);
  if (!is_wide_ && has_too_many_paths(levels.size())) {
    widen();
    levels = count_paths(source, stats);
  }
  if (is_wide_ && has_too_many_paths(levels.size()))
    throw UsageError("there are more than 2^4194302 shortest paths from vertex " + std::to_string(source) +
                     " to another one: bc cannot count them");
  return levels;
}

template <class Exec, class View>
std::vector<typename BcRun<Exec, View>::Level> BcRun<Exec, View>::count_paths(VertexId source, AlgoStats& stats) {
  clear();
  exec_.store(depths_, source, std::uint32_t{0});
  if (is_wide_)
    exec_.store(wide_paths_, source, path_count::kOne);
  else
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
    if (is_wide_) {
      push(wide_paths_, depth, stats);
    } else if (better_to_pull()) {
      pull(depth, stats);
    } else {
      push(paths_, depth, stats);
    }
    ++stats.iterations;
    progress.end_round(stats.edges_examined - before);
    std::swap(frontier_, next_);
  }
  return levels;
}

template <class Exec, class View>
void BcRun<Exec, View>::finish(const Level& level) {
  if (is_wide_) return vertex_map(exec_, level.size, bc::AddLevel{levels_.data() + level.first, shares_.data(), scores_.data()});
  const bc::Finish f{paths_.data(), shares_.data(), scores_.data()};
  vertex_map(exec_, level.size, bc::FinishLevel{levels_.data() + level.first, f});
}

template <class Exec, class View>
typename BcRun<Exec, View>::Back BcRun<Exec, View>::way_back(const Level& nearer, const Level& farther) const {
  const DirectionCosts cost = direction_costs(exec_, graph_.out_edges);
  const double gather = cost.push_edge * static_cast<double>(nearer.edges);
  const double sweep =
      bc::kPassVertex * static_cast<double>(graph_.num_vertices()) + cost.pull_edge * static_cast<double>(nearer.edges);
  const double scatter =
      cost.push_edge * static_cast<double>(farther.edges) + cost.add * static_cast<double>(graph_.num_vertices());
  const bool may_scatter = options_.variant == BcVariant::direction_optimizing;
  if (may_scatter && scatter < std::min(gather, sweep)) return Back::scatter;
  return gather < sweep ? Back::gather : Back::sweep;
}

template <class Exec, class View>
template <class F>
void BcRun<Exec, View>::gather(const Level& nearer, F f) {
  frontier_.assign(exec_, levels_.data() + nearer.first, nearer.size, nearer.edges);
  f.alone = pushes_alone(exec_, graph_.out_edges, frontier_);
  gathered_edges_ += edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, f, next_).edges;
  finish(nearer);
  collect_members(exec_, frontier_, shares_);
}

/// Moves dependencies of `farther`, at `depth`, to `nearer`.
template <class Exec, class View>
void BcRun<Exec, View>::hand_back(const Level& nearer, const Level& farther, std::uint32_t depth, AlgoStats& stats) {
  if (is_wide_) return gather(nearer, bc::GatherRatios{depths_.data(), wide_paths_.data(), shares_.data(), depth, false});
  switch (way_back(nearer, farther)) {
    case Back::gather:
      return gather(nearer, bc::Gather{depths_.data(), shares_.data(), depth, false});
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
void BcRun<Exec, View>::scale() {
  const std::size_t n = graph_.num_vertices();
  collect_parts(exec_, scores_);
  largest_ = largest_of(scores_);
  const double divisor =
      options_.definition == BcDefinition::gap ? largest_ : bc::divisor(options_, graph_.num_vertices(), graph_.symmetric);
  if (divisor > 0 && divisor != 1) vertex_map(exec_, n, bc::Divide{scores_.data(), divisor});
}

template <class Exec, class View>
void BcRun<Exec, View>::add_dependencies(VertexId source, AlgoStats& stats) {
  const std::vector<Level> levels = search(source, stats);
  const std::size_t first = options_.definition == BcDefinition::gap ? 0 : 1;  // a source is not between other vertices
  if (levels.size() > first) finish(levels.back());
  for (std::size_t depth = levels.size() - 1; depth > first; --depth)
    hand_back(levels[depth - 1], levels[depth], static_cast<std::uint32_t>(depth), stats);
}

template <class Exec, class View>
AlgoStats BcRun<Exec, View>::run() {
  AlgoStats stats;
  gathered_edges_ = 0;
  fill(exec_, scores_, 0.0);
  const std::uint64_t sources = options_.sources.empty() ? graph_.num_vertices() : options_.sources.size();
  Progress progress("paths from sources", sources, "source");
  std::uint64_t i = 0;
  SavedState state(exec_, i, scores_);
  progress.advance(i);
  for (; i < sources; state.save()) {
    add_dependencies(static_cast<VertexId>(options_.sources.empty() ? i : options_.sources[i]), stats);
    ++i;
    progress.advance(1);
  }
  stats.edges_examined += sum_of_ranks(exec_, gathered_edges_);
  scale();
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
BcOutput BcRun<Exec, View>::output() {
  BcOutput output{exec_.download(scores_), options_.sources, options_.definition, largest_};
  output.scores.resize(graph_.num_vertices());
  return output;
}

}  // namespace graphrun::inline GR_IDS
