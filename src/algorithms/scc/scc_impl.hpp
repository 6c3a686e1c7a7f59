// SPDX-License-Identifier: Apache-2.0
// Strongly connected components of directed graphs, both executors. Vertices without in-edges or without out-edges are components
// alone. A search each way from one of the others finds the giant component (Fleischer, Hendrickson and Pinar, IPDPS 2000), and
// splits the others into groups: reached forward, backward, or neither. Then rounds of two steps.
//
// Peeling removes vertices without in-edges from their own group until none is left, then those without out-edges. The first does
// not give the second more to do, and neither the other way round.
//
// Each remaining vertex has a color of its own. The largest color of a group spreads along out-edges within the group; a search
// against the edges, from the vertices that kept their color, finds the component of each (Orzan 2004; Slota et al., IPDPS 2014).
// Colors are the groups of the next round. They are random, so half of a chain of components is expected to be cut off in each.
#pragma once

#include <utility>

#include "algorithms/countable.hpp"
#include "graphrun/algorithms/scc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/ops/direction.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::scc::inline GR_IDS {

inline constexpr VertexId kClosed = kNoVertex;  // the group of all vertices whose components are known

/// Returns a bijection of numbers of 32 bits (the finalizer of MurmurHash3).
GR_HD constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}
GR_HD constexpr std::uint64_t mix(std::uint64_t x) { return splitmix64(x); }

/// Returns a color, which no other vertex has. It is not kClosed: kNoVertex, whose color that vertex takes, is no vertex.
GR_HD inline VertexId color_of(VertexId v) {
  const VertexId color = mix(v);
  return color == kClosed ? mix(kNoVertex) : color;
}

GR_HD inline EdgeId smaller_degree(const Rows& out, const Rows& in, VertexId v) {
  return out.degree(v) < in.degree(v) ? out.degree(v) : in.degree(v);
}

/// Makes components of vertices without in-edges or without out-edges, which searches leave out. Finds the largest of the smaller
/// degrees. Returns the number of others. For words of 32 vertices.
struct Begin {
  Rows out;
  Rows in;
  VertexId* components;
  std::uint32_t* reached;
  std::uint32_t* reaching;
  EdgeId* most;

  GR_HD std::uint64_t operator()(std::size_t word) const {
    std::uint32_t closed = 0;
    std::uint64_t open = 0;
    EdgeId largest = 0;
    for (std::uint32_t bit = 0; bit < 32 && word * 32 + bit < out.num_vertices; ++bit) {
      const auto v = static_cast<VertexId>(word * 32 + bit);
      const EdgeId degree = smaller_degree(out, in, v);
      const bool is_open = degree != 0;
      largest = degree > largest ? degree : largest;
      components[v] = is_open ? kNoVertex : v;
      closed |= (is_open ? 0u : 1u) << bit;
      open += is_open ? 1 : 0;
    }
    reached[word] = reaching[word] = closed;
    if (largest > atomics::load(*most)) atomics::fetch_max(*most, largest);
    return open;
  }
};

/// Finds the smallest vertex with the largest of the smaller degrees.
struct FindPivot {
  Rows out;
  Rows in;
  const EdgeId* most;
  VertexId* pivot;

  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    if (smaller_degree(out, in, v) == *most && v < atomics::load(*pivot)) atomics::fetch_min(*pivot, v);
  }
};

/// Sets the bits of vertices that a search reaches. Bits stay in a cache where words do not.
struct ReachPush {
  using Weight = NoWeight;
  using Can = Capabilities<can::Want, can::GoOn, can::Share, can::Mark>;
  BitmapRef visited;
  bool alone;               ///< one thread does all: pushes_alone()
  std::uint64_t unvisited;  ///< vertices of a pull

  GR_HD bool wants(VertexId v) const { return ((atomics::load(visited.words[v / 32]) >> (v % 32)) & 1u) == 0; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId, VertexId v, NoWeight) const {
    if (!alone) return visited.set(v);
    const std::uint32_t before = visited.words[v / 32];
    const std::uint32_t bit = 1u << (v % 32);
    visited.words[v / 32] = before | bit;
    return (before & bit) == 0;
  }
  GR_HD bool goes_on(std::uint64_t joined, EdgeId edges) const { return joined + edges <= unvisited; }
  GR_HD std::uint32_t state(VertexId) const { return 0; }
  GR_HD bool take(VertexId v, std::uint32_t) const { return visited.set(v); }
  GR_HD void mark(VertexId v) const { visited.set(v); }
};

/// Leaves bits to MarkJoined.
struct ReachPull {
  using Can = Capabilities<can::Want, can::Mark>;
  BitmapRef visited;
  BitmapRef frontier;

  GR_HD bool wants(VertexId v) const { return !visited.test(v); }
  GR_HD bool accepts(VertexId u) const { return frontier.test(u); }
  GR_HD void visit(VertexId, VertexId) const {}
  GR_HD void mark(VertexId) const {}
};

struct MarkOne {
  BitmapRef visited;
  VertexId vertex;
  GR_HD void operator()(std::size_t) const { visited.set(vertex); }
};

struct MarkJoined {
  BitmapRef visited;
  BitmapRef joined;
  GR_HD void operator()(std::size_t word) const { visited.words[word] |= joined.words[word]; }
};

/// Gives the pivot's component to the vertices that were reached both ways, and groups the others. Returns the number of open
/// ones.
struct TakeBoth {
  BitmapRef reached;
  BitmapRef reaching;
  VertexId* groups;
  VertexId* components;
  VertexId pivot;
  GR_HD std::uint64_t operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const VertexId group = (reached.test(v) ? 1 : 0) + (reaching.test(v) ? 2 : 0);
    if (group == 3 && components[v] == kNoVertex) components[v] = pivot;
    groups[v] = group == 3 ? kClosed : group;
    return group == 3 ? 0 : 1;
  }
};

struct IsOpen {
  const VertexId* components;
  GR_HD bool operator()(std::size_t v) const { return components[v] == kNoVertex; }
};

/// Counts the edges of open vertices from their own group, without self loops.
struct CountOwnGroup {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  const VertexId* groups;
  VertexId* counts;

  GR_HD bool wants(VertexId v) const { return groups[v] != kClosed; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    if (groups[u] == groups[v] && u != v) atomics::fetch_add(counts[v], VertexId{1});
  }
};

struct IsLoose {
  const VertexId* groups;
  const VertexId* counts;
  GR_HD bool operator()(VertexId v) const { return groups[v] != kClosed && counts[v] == 0; }
};

/// Makes a vertex a component, and takes its edges from the counts of its neighbours.
template <bool kAlone>
struct Peel {
  using Weight = NoWeight;
  using Can = Capabilities<can::Prepare, can::Add>;
  const VertexId* groups;
  VertexId* counts;
  VertexId* components;

  GR_HD void prepare(VertexId u) const { components[u] = u; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD VertexId operator()(VertexId u, VertexId v, NoWeight) const { return groups[v] == groups[u] && v != u ? 1 : 0; }
  GR_HD bool add(VertexId v, VertexId edges) const {
    if constexpr (kAlone) return (counts[v] -= edges) == 0;
    return atomics::fetch_add(counts[v], 0 - edges) == edges;
  }
};

/// Closes vertices whose components are known. Returns the number of others.
struct Close {
  VertexId* groups;
  const VertexId* components;
  GR_HD std::uint64_t operator()(std::size_t v) const {
    if (components[v] == kNoVertex) return 1;
    groups[v] = kClosed;
    return 0;
  }
};

struct BeginColors {
  VertexId* colors;
  GR_HD void operator()(std::size_t v) const { colors[v] = color_of(static_cast<VertexId>(v)); }
};

/// Spreads the largest color within a group.
struct Spread {
  using Weight = NoWeight;
  using Can = Capabilities<can::Correct, can::Share>;
  const VertexId* groups;
  VertexId* colors;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
    return groups[v] == groups[u] && take(v, atomics::load(colors[u]));
  }
  GR_HD VertexId state(VertexId v) const { return colors[v]; }
  GR_HD bool take(VertexId v, VertexId color) const {
    return atomics::load(colors[v]) < color && atomics::fetch_max(colors[v], color) < color;
  }
};

struct KeptColor {
  const VertexId* components;
  const VertexId* colors;
  GR_HD bool operator()(VertexId v) const { return components[v] == kNoVertex && colors[v] == color_of(v); }
};

struct NameAfterSelf {
  VertexId* components;
  GR_HD void operator()(VertexId v) const { components[v] = v; }
};

/// Joins vertices that lead to one of their color to its component.
struct Gather {
  using Weight = NoWeight;
  using Can = Capabilities<can::Share>;
  const VertexId* colors;
  VertexId* components;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const { return colors[v] == colors[u] && take(v, components[u]); }
  GR_HD VertexId state(VertexId v) const { return components[v]; }
  GR_HD bool take(VertexId v, VertexId component) const {
    return atomics::load(components[v]) == kNoVertex && atomics::compare_exchange(components[v], kNoVertex, component);
  }
};

/// Makes colors groups. Returns the number of open vertices.
struct Regroup {
  VertexId* groups;
  const VertexId* components;
  const VertexId* colors;
  GR_HD std::uint64_t operator()(std::size_t v) const {
    const bool is_open = components[v] == kNoVertex;
    groups[v] = is_open ? colors[v] : kClosed;
    return is_open ? 1 : 0;
  }
};

struct FindSmallest {
  const VertexId* components;
  VertexId* smallest;
  GR_HD void operator()(std::size_t v) const {
    VertexId& found = smallest[components[v]];
    if (v < atomics::load(found)) atomics::fetch_min(found, static_cast<VertexId>(v));
  }
};

struct NameBySmallest {
  VertexId* components;
  const VertexId* smallest;
  GR_HD void operator()(std::size_t v) const { components[v] = smallest[components[v]]; }
};

}  // namespace graphrun::scc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
SccRun<Exec, View>::SccRun(Exec& exec, const GraphView<View>& graph)
    : exec_(exec),
      graph_(graph),
      groups_(exec.template make_array<VertexId>(graph.num_vertices())),
      components_(exec.template make_array<VertexId>(graph.num_vertices())),
      work_(exec.template make_array<VertexId>(graph.num_vertices())),
      out_{graph.out, graph.out_edges, Frontier(exec, graph.out, graph.in.num_hub_chunks),
           Frontier(exec, graph.out, graph.in.num_hub_chunks),
           exec.template make_array<std::uint32_t>(BitmapRef::words_for(graph.num_vertices()))},
      in_{graph.in, graph.in_edges, Frontier(exec, graph.in, graph.out.num_hub_chunks),
          Frontier(exec, graph.in, graph.out.num_hub_chunks),
          exec.template make_array<std::uint32_t>(BitmapRef::words_for(graph.num_vertices()))} {
  load_kernels<SccRun>(exec_);
  graph_.require_in("scc of a directed graph");
  require_countable(exec_, "scc", graph_.out);
  require_countable(exec_, "scc", graph_.in);
  for (auto* const array : {&groups_, &components_, &work_}) fill(exec_, *array, VertexId{0});  // touches memory before the clock
}

template <class Exec, class View>
void SccRun<Exec, View>::count(const EdgeMapStats& step) {
  stats_.edges_examined += step.edges;
  stats_.iterations += step.steps;
  progress_->end_round(step.edges, step.steps);
}

template <class Exec, class View>
VertexId SccRun<Exec, View>::begin() {
  auto most = exec_.template make_array<EdgeId>(1);
  auto pivot = exec_.template make_array<VertexId>(1);
  fill(exec_, most, EdgeId{0});
  fill(exec_, pivot, kNoVertex);
  const scc::Begin begin{graph_.out, graph_.in, components_.data(), out_.visited.data(), in_.visited.data(), most.data()};
  open_ = vertex_sum<std::uint64_t>(exec_, out_.visited.size(), begin);
  if (open_ == 0) return kNoVertex;
  vertex_map(exec_, graph_.num_vertices(), scc::FindPivot{graph_.out, graph_.in, most.data(), pivot.data()});
  return exec_.fetch(pivot, 0);
}

template <class Exec, class View>
void SccRun<Exec, View>::reach(Side& side, const Side& opposite, VertexId pivot) {
  Unvisited unvisited{open_, graph_.num_edges};
  const BitmapRef visited{side.visited.data()};
  side.frontier.clear();
  side.frontier.insert(exec_, pivot);
  vertex_map(exec_, 1, scc::MarkOne{visited, pivot});
  while (!side.frontier.empty()) {
    unvisited.leave(side.frontier.size(), side.frontier.edges());
    EdgeMapStats step;
    if (better_to_pull(direction_costs(exec_, opposite.edges), side.frontier.edges(), unvisited, graph_.num_vertices(),
                       graph_.num_edges)) {
      const scc::ReachPull pull{visited, side.frontier.bitmap(exec_)};
      step = edge_map_pull(exec_, opposite.rows, opposite.edges, side.rows, pull, side.next);
      vertex_map(exec_, side.visited.size(), scc::MarkJoined{visited, side.next.bitmap(exec_)});
    } else {
      const scc::ReachPush push{visited, pushes_alone(exec_, side.edges, side.frontier), unvisited.vertices};
      step = edge_map_push(exec_, side.rows, side.edges, side.frontier, push, side.next);
      unvisited.leave(step.passed, step.passed_edges);
    }
    count(step);
    std::swap(side.frontier, side.next);
  }
}

template <class Exec, class View>
void SccRun<Exec, View>::peel(Side& side, Side& opposite) {
  const std::size_t n = graph_.num_vertices();
  fill(exec_, work_, VertexId{0});
  EdgeMapStats counting = edge_map_all(exec_, opposite.rows, opposite.edges, 0, scc::CountOwnGroup{groups_.data(), work_.data()});
  counting.edges = sum_of_ranks(exec_, counting.edges);
  count(counting);
  collect_parts(exec_, work_);
  vertex_filter(exec_, n, scc::IsLoose{groups_.data(), work_.data()}, side.frontier);
  while (!side.frontier.empty()) {
    const auto push = [&](const auto& f) { return edge_map_push(exec_, side.rows, side.edges, side.frontier, f, side.next); };
    count(pushes_alone(exec_, side.edges, side.frontier)
              ? push(scc::Peel<true>{groups_.data(), work_.data(), components_.data()})
              : push(scc::Peel<false>{groups_.data(), work_.data(), components_.data()}));
    std::swap(side.frontier, side.next);
  }
  open_ = vertex_sum<std::uint64_t>(exec_, n, scc::Close{groups_.data(), components_.data()});
}

template <class Exec, class View>
void SccRun<Exec, View>::color() {
  const std::size_t n = graph_.num_vertices();
  const auto push_all = [&](Side& side, const auto& f) {
    while (!side.frontier.empty()) {
      count(edge_map_push(exec_, side.rows, side.edges, side.frontier, f, side.next));
      std::swap(side.frontier, side.next);
    }
  };
  vertex_map(exec_, n, scc::BeginColors{work_.data()});
  vertex_filter(exec_, n, scc::IsOpen{components_.data()}, out_.frontier);
  push_all(out_, scc::Spread{groups_.data(), work_.data()});
  vertex_filter(exec_, n, scc::KeptColor{components_.data(), work_.data()}, in_.frontier);
  frontier_map(exec_, in_.frontier, scc::NameAfterSelf{components_.data()});
  push_all(in_, scc::Gather{work_.data(), components_.data()});
  open_ = vertex_sum<std::uint64_t>(exec_, n, scc::Regroup{groups_.data(), components_.data(), work_.data()});
}

template <class Exec, class View>
void SccRun<Exec, View>::name_by_smallest() {
  fill(exec_, work_, kNoVertex);
  vertex_map(exec_, graph_.num_vertices(), scc::FindSmallest{components_.data(), work_.data()});
  vertex_map(exec_, graph_.num_vertices(), scc::NameBySmallest{components_.data(), work_.data()});
}

template <class Exec, class View>
AlgoStats SccRun<Exec, View>::run() {
  stats_ = {};
  Progress progress("strong components", 0, "step");
  progress_ = &progress;
  if (const VertexId pivot = begin(); pivot != kNoVertex) {
    reach(out_, in_, pivot);
    reach(in_, out_, pivot);
    const scc::TakeBoth take{{out_.visited.data()}, {in_.visited.data()}, groups_.data(), components_.data(), pivot};
    open_ = vertex_sum<std::uint64_t>(exec_, graph_.num_vertices(), take);
  }
  while (open_ != 0) {
    peel(out_, in_);
    if (open_ != 0) peel(in_, out_);
    if (open_ != 0) color();
  }
  name_by_smallest();
  exec_.synchronize();
  progress_ = nullptr;
  return stats_;
}

}  // namespace graphrun::inline GR_IDS
