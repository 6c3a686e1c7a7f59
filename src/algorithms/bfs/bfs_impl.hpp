// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, both executors. State is one parent a vertex, kNoVertex until it is visited. A push claims a vertex by an
// atomic exchange of its parent; a pull needs no atomics, because each vertex finds its own parent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/direction.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::bfs::inline GR_IDS {

struct Push {
  using Weight = NoWeight;
  using Can = Capabilities<can::Want, can::GoOn, can::Share, can::Mark>;
  VertexId* parents;
  bool alone;               // one thread does all: pushes_alone()
  std::uint64_t unvisited;  // vertices of a pull; the largest number without pulls

  GR_HD bool wants(VertexId v) const { return atomics::load(parents[v]) == kNoVertex; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
#if !defined(__CUDA_ARCH__)
    if (alone) {
      // Without a branch, which would be mispredicted once a vertex of a road map (compilers make one of a conditional value): a
      // parent that is not wanted goes nowhere.
      const bool joins = parents[v] == kNoVertex;
      VertexId unused;
      const auto here = reinterpret_cast<std::uintptr_t>(&parents[v]);
      const auto nowhere = reinterpret_cast<std::uintptr_t>(&unused);
      *reinterpret_cast<VertexId*>(nowhere ^ ((nowhere ^ here) & (std::uintptr_t{0} - joins))) = u;
      return joins;
    }
#endif
    return wants(v) && atomics::compare_exchange(parents[v], kNoVertex, u);
  }
  /// Returns whether pushing certainly pays: a vertex costs a pull at least as much as an edge costs a push (DirectionCosts).
  /// With fewer unvisited vertices than edges to push along, the host decides.
  GR_HD bool goes_on(std::uint64_t joined, EdgeId edges) const { return joined + edges <= unvisited; }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD bool take(VertexId v, VertexId parent) const { return atomics::compare_exchange(parents[v], kNoVertex, parent); }
  /// Marks v as visited on other ranks than v's owner, which takes the parent.
  GR_HD void mark(VertexId v) const { parents[v] = v; }
};

/// For asynchronous views: a vertex may first be reached by a detour. Its label holds its level above its parent in one word; the
/// smaller label has fewer hops.
struct Lower {
  using Weight = NoWeight;
  using Can = Capabilities<can::Correct>;
  static constexpr std::uint64_t kUnreached = ~std::uint64_t{0};
  static constexpr std::uint64_t kMostVertices = 0xffffffff;
  std::uint64_t* labels;

  GR_HD static std::uint64_t level(std::uint64_t label) { return label >> 32; }
  GR_HD static std::uint64_t label(std::uint64_t level, VertexId parent) { return level << 32 | parent; }

  GR_HD std::uint64_t source(VertexId u) const { return label(level(atomics::load(labels[u])) + 1, u); }
  GR_HD bool operator()(std::uint64_t candidate, VertexId v, NoWeight) const {
    return level(candidate) < level(atomics::load(labels[v])) &&
           level(candidate) < level(atomics::fetch_min(labels[v], candidate));
  }
};

struct ParentOfLabel {
  const std::uint64_t* labels;
  VertexId* parents;
  GR_HD void operator()(std::size_t v) const {
    parents[v] = labels[v] == Lower::kUnreached ? kNoVertex : static_cast<VertexId>(labels[v] & 0xffffffff);
  }
};

struct Pull {
  using Can = Capabilities<can::Want, can::Mark, can::KeepOpen>;
  VertexId* parents;
  BitmapRef frontier;
  BitmapRef open;

  GR_HD bool wants(VertexId v) const { return parents[v] == kNoVertex; }
  GR_HD bool accepts(VertexId u) const { return frontier.test(u); }
  GR_HD void visit(VertexId v, VertexId u) const { parents[v] = u; }
  /// Marks v as visited; the rank that scans v's list has the parent.
  GR_HD void mark(VertexId v) const { parents[v] = v; }
  GR_HD BitmapRef open_vertices() const { return open; }
};

/// Of a search by one kernel, which finds parents in both directions.
struct Search {
  using Weight = NoWeight;
  VertexId* parents;

  GR_HD void start(VertexId v, VertexId source) const { parents[v] = v == source ? v : kNoVertex; }
  GR_HD bool wants(VertexId v) const { return atomics::load(parents[v]) == kNoVertex; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const { return atomics::compare_exchange(parents[v], kNoVertex, u); }
  GR_HD void visit(VertexId v, VertexId u) const { parents[v] = u; }
};

struct HasInEdge {
  Rows in;
  GR_HD std::uint64_t operator()(std::size_t v) const { return in.offsets[v + 1] != in.offsets[v]; }
};

/// Writes word w of a bitmap of the vertices with in-edges.
struct MarkInEdges {
  HasInEdge has;
  BitmapRef to;
  GR_HD void operator()(std::size_t w) const {
    std::uint32_t word = 0;
    for (std::size_t v = w * 32; v < w * 32 + 32 && v < has.in.num_vertices; ++v)
      word |= static_cast<std::uint32_t>(has(v)) << (v % 32);
    to.words[w] = word;
  }
};

/// Copies word w of a bitmap of vertices that may be unreached, without the others.
struct KeepUnreached {
  const std::uint32_t* open;
  const VertexId* parents;
  BitmapRef to;
  GR_HD void operator()(std::size_t w) const {
    const std::uint32_t word = open[w];
    std::uint32_t unreached = word;
    for (std::uint32_t bit = 0; word != 0 && bit < 32; ++bit) {
      if ((word >> bit & 1u) != 0 && parents[w * 32 + bit] != kNoVertex) unreached &= ~(1u << bit);
    }
    to.words[w] = unreached;
  }
};

}  // namespace graphrun::bfs::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
BfsRun<Exec, View>::BfsRun(Exec& exec, const GraphView<View>& graph, const BfsOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      parents_(exec.template make_array<VertexId>(graph.num_vertices())),
      frontier_(exec, graph.out, most_items(exec, graph)),
      next_(exec, graph.out, graph.in.num_hub_chunks) {
  load_kernels<BfsRun>(exec_);
  if (is_asynchronous(graph_.out_edges) && graph_.num_vertices() < bfs::Lower::kMostVertices) {
    labels_ = exec.template make_array<std::uint64_t>(graph_.num_vertices());
    return;
  }
  if (options_.variant == BfsVariant::direction_optimizing) {
    graph_.require_in("direction-optimizing bfs");
    reachable_bound_ = vertex_sum<std::uint64_t>(exec_, graph_.num_vertices(), bfs::HasInEdge{graph_.in});
  }
  if (is_near<Exec>(graph_)) {
    const std::size_t words = BitmapRef::words_for(graph_.num_vertices());
    open_ = exec.template make_array<std::uint32_t>(2 * words);
    if (graph_.has_in) vertex_map(exec_, words, bfs::MarkInEdges{{graph_.in}, {open_.data()}});
  }
}

template <class Exec, class View>
AlgoStats BfsRun<Exec, View>::run(VertexId source, std::uint64_t most) {
  source_ = source;
  if (labels_.size() != 0) return run_correcting();
  if (searches_by_one_kernel(exec_, graph_)) return run_by_one_kernel(most);
  fill(exec_, parents_, kNoVertex);
  exec_.store(parents_, source, source);
  frontier_.clear();
  frontier_.insert(exec_, source);
  Unvisited unvisited{reachable_bound_, graph_.num_edges};

  AlgoStats stats;
  Progress progress("breadth-first search", 0, "level");
  const bool pushes_only = options_.variant == BfsVariant::push;
  const std::size_t words = open_.size() / 2;
  const BitmapRef open{open_.data() + words};
  if (words != 0 && !pushes_only) vertex_map(exec_, words, ranks::CopyElements<std::uint32_t>{open_.data(), open.words});
  const auto better_to_pull = [&] {
    return !pushes_only && graphrun::better_to_pull(direction_costs(exec_, graph_.in_edges), frontier_.edges(), unvisited,
                                                    graph_.num_vertices(), graph_.num_edges);
  };
  // An undirected source with out-edges has in-edges, so it was counted; without out-edges it reaches no other vertex.
  const bool knows_all = graph_.symmetric && !pushes_only;
  while (!frontier_.empty()) {
    unvisited.leave(frontier_.size(), frontier_.edges());
    if (knows_all && unvisited.vertices == 0) {  // a step would find none
      ++stats.iterations;                        // the last level counts, too
      break;
    }
    EdgeMapStats step;
    if (better_to_pull()) {
      const bfs::Pull pull{parents_.data(), frontier_.bitmap(exec_), open};
      step = edge_map_pull(exec_, graph_.in, graph_.in_edges, graph_.out, pull, next_);
    } else {
      const std::uint64_t most = pushes_only ? ~std::uint64_t{0} : unvisited.vertices;
      const bfs::Push push{parents_.data(), pushes_alone(exec_, graph_.out_edges, frontier_), most};
      step = edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, push, next_);
      unvisited.leave(step.passed, step.passed_edges);
    }
    stats.edges_examined += step.edges;
    stats.iterations += step.steps;
    progress.end_round(step.edges, step.steps);
    std::swap(frontier_, next_);
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
AlgoStats BfsRun<Exec, View>::run_by_one_kernel([[maybe_unused]] std::uint64_t most) {
  AlgoStats stats;
  if constexpr (SearchesByOneKernel<Exec, View>) {
    Progress progress("breadth-first search", 0, "level");
    const bool pushes_only = options_.variant == BfsVariant::push;
    const SearchChoice choice{.costs = direction_costs(exec_, graph_.in_edges),
                              .reachable = {reachable_bound_, graph_.num_edges},
                              .num_edges = graph_.num_edges,
                              .pushes_only = pushes_only,
                              .knows_all = graph_.symmetric && !pushes_only};
    frontier_.clear();
    do {
      const std::uint64_t at_once = std::min(most - stats.iterations, kSearchSteps);
      const EdgeMapStats steps =
          search_on(exec_, graph_, source_, choice, bfs::Search{parents_.data()}, open_.data(), frontier_, next_, at_once);
      stats.edges_examined += steps.edges;
      stats.iterations += steps.steps;
      progress.end_round(steps.edges, steps.steps);
    } while (!frontier_.empty() && stats.iterations < most);
  }
  return stats;
}

template <class Exec, class View>
std::pair<FrontierOf<Exec>&, FrontierOf<Exec>&> BfsRun<Exec, View>::unreached() {
  const std::size_t words = open_.size() / 2;
  const bfs::KeepUnreached keep{open_.data() + words, parents_.data(), frontier_.start_empty_bitmap(exec_)};
  vertex_map(exec_, words, keep);
  frontier_.count_members(exec_);
  return {frontier_, next_};
}

/// Corrects levels until none can be lowered.
template <class Exec, class View>
AlgoStats BfsRun<Exec, View>::run_correcting() {
  AlgoStats stats;
  if constexpr (MayBeAsynchronous<View>) {
    fill(exec_, labels_, bfs::Lower::kUnreached);
    exec_.store(labels_, source_, bfs::Lower::label(0, source_));
    frontier_.clear();
    frontier_.insert(exec_, source_);
    Progress progress("breadth-first search", 0, "round");
    while (!frontier_.empty()) {
      const bfs::Lower lower{labels_.data()};
      const EdgeMapStats step = edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, lower, next_);
      stats.edges_examined += step.edges;
      ++stats.iterations;
      progress.end_round(step.edges);
      std::swap(frontier_, next_);
    }
    vertex_map(exec_, graph_.num_vertices(), bfs::ParentOfLabel{labels_.data(), parents_.data()});
    exec_.synchronize();
  }
  return stats;
}

template <class Exec, class View>
BfsOutput BfsRun<Exec, View>::output() {
  BfsOutput result{source_, std::move(found_), {}};
  if constexpr (requires { exec_.pool(); }) {
    result.levels = levels_from_parents(result.parents, source_, exec_.pool(), std::move(levels_));
  } else {
    ThreadPool pool(result.parents.size() < (1 << 20) ? 1 : 0);  // starting threads costs more than few levels
    result.levels = levels_from_parents(result.parents, source_, pool, std::move(levels_));
  }
  return result;
}

}  // namespace graphrun::inline GR_IDS
