// SPDX-License-Identifier: Apache-2.0
// k-core by peeling, both executors. A level begins with the remaining vertices that have the fewest edges left, k of them. A
// round removes a frontier: each edge takes one from the edges left of its other end, which joins where k are left. Remaining
// vertices are kept in one list, which a level reads twice: for the next k, without gaps, and for the vertices that have it.
#pragma once

#include <string>
#include <utility>

#include "graphrun/algorithms/kcore.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::kcore::inline GR_IDS {

inline constexpr std::size_t kBlock = 32;         // entries of a list that one thread copies together
inline constexpr std::size_t kGrainBlocks = 128;  // that a host thread takes at a time

/// Counts edges of both directions.
struct CountEdges {
  const EdgeId* out;
  const EdgeId* in;  ///< null: the graph is symmetric
  VertexId* left;
  VertexId* too_many;  ///< becomes 1 where a vertex has more than a VertexId counts

  GR_HD void operator()(std::size_t v) const {
    const EdgeId edges = out[v + 1] - out[v] + (in == nullptr ? 0 : in[v + 1] - in[v]);
    if (edges >= kNoVertex) atomics::store(*too_many, VertexId{1});
    left[v] = static_cast<VertexId>(edges);
  }
};

/// Takes self loops from the counts.
struct DropLoops {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  VertexId* left;
  VertexId each;  ///< how often a self loop was counted

  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    if (u == v) atomics::fetch_add(left[v], 0 - each);
  }
};

/// A list of vertices from which blocks copy some, in any order of blocks.
struct Filter {
  const VertexId* from;  ///< null: all vertices
  VertexId* to;
  std::size_t size;
  const VertexId* left;
  VertexId* counts;

  GR_HD VertexId vertex(std::size_t i) const { return from == nullptr ? static_cast<VertexId>(i) : from[i]; }
  GR_HD std::size_t end_of(std::size_t block) const { return (block + 1) * kBlock < size ? (block + 1) * kBlock : size; }
  template <class Has>
  GR_HD void copy(std::size_t block, const Has& has) const {
    VertexId kept[kBlock];
    VertexId count = 0;
    for (std::size_t i = block * kBlock; i < end_of(block); ++i) {
      kept[count] = vertex(i);
      count += has(left[kept[count]]) ? 1 : 0;
    }
    if (count == 0) return;
    VertexId* const room = to + atomics::fetch_add(counts[1], count);
    for (VertexId i = 0; i < count; ++i) room[i] = kept[i];
  }
};

/// Keeps vertices with at least k edges left, and finds the fewest.
struct KeepRest : Filter {
  VertexId k;
  GR_HD void operator()(std::size_t block) const {
    VertexId least = kNoVertex;
    copy(block, [&](VertexId edges) {
      if (edges >= k && edges < least) least = edges;
      return edges >= k;
    });
    if (least < atomics::load(counts[0])) atomics::fetch_min(counts[0], least);
  }
};

/// Copies vertices with at most k edges left.
struct TakeFew : Filter {
  VertexId k;
  GR_HD void operator()(std::size_t block) const {
    copy(block, [&](VertexId edges) { return edges <= k; });
  }
};

/// Adds up edges of a list of vertices.
struct DegreesOf {
  const VertexId* list;
  const EdgeId* offsets;
  GR_HD EdgeId operator()(std::size_t i) const { return offsets[list[i] + 1] - offsets[list[i]]; }
};

/// Removes the edges of a vertex from what its neighbours have left.
template <bool kAlone>
struct Peel {
  using Weight = NoWeight;
  using Can = Capabilities<can::Prepare, can::Add>;
  VertexId* left;
  VertexId* cores;
  VertexId k;

  GR_HD void prepare(VertexId u) const { cores[u] = k; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD VertexId operator()(VertexId, VertexId v, NoWeight) const { return atomics::load(left[v]) > k ? 1 : 0; }
  GR_HD bool add(VertexId v, VertexId edges) const {
    VertexId before = left[v];
    if constexpr (kAlone)
      left[v] = before - edges;
    else
      before = atomics::fetch_add(left[v], 0 - edges);
    return before > k && before - edges <= k;
  }
};

}  // namespace graphrun::kcore::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
KcoreRun<Exec, View>::KcoreRun(Exec& exec, const GraphView<View>& graph)
    : exec_(exec),
      graph_(graph),
      left_(exec.template make_array<VertexId>(graph.num_vertices())),
      cores_(exec.template make_array<VertexId>(graph.num_vertices())),
      rest_(exec.template make_array<VertexId>(graph.num_vertices())),
      spare_(exec.template make_array<VertexId>(graph.num_vertices())),
      counts_(exec.template make_array<VertexId>(2)) {
  load_kernels<KcoreRun>(exec_);
  graph_.require_in("kcore of a directed graph");
  const auto add = [&](const Rows& rows, const View& edges) {
    sides_.push_back({rows, edges, Frontier(exec_, rows), Frontier(exec_, rows)});
  };
  sides_.reserve(2);
  add(graph.out, graph.out_edges);
  if (!graph.symmetric) add(graph.in, graph.in_edges);
  for (auto* const array : {&left_, &cores_, &rest_, &spare_})
    fill(exec_, *array, VertexId{0});  // touches memory before the clock
}

template <class Exec, class View>
std::uint64_t KcoreRun<Exec, View>::count_edges() {
  fill(exec_, counts_, VertexId{0});
  const EdgeId* const in = graph_.symmetric ? nullptr : graph_.in.offsets;
  vertex_map(exec_, graph_.num_vertices(), kcore::CountEdges{graph_.out.offsets, in, left_.data(), counts_.data()});
  if (exec_.fetch(counts_, 0) != 0)
    throw UsageError("kcore counts up to " + std::to_string(kNoVertex - 1) + " edges of a vertex, and one has more");
  const kcore::DropLoops drop{left_.data(), static_cast<VertexId>(sides_.size())};
  const std::uint64_t edges = edge_map_all(exec_, graph_.out, graph_.out_edges, 0, drop).edges;
  collect_parts(exec_, left_);
  return sum_of_ranks(exec_, edges);
}

template <class Exec, class View>
VertexId KcoreRun<Exec, View>::drop_below(VertexId k) {
  exec_.store(counts_, 0, kNoVertex);
  exec_.store(counts_, 1, VertexId{0});
  const VertexId* const from = k == 0 ? nullptr : rest_.data();
  const kcore::KeepRest keep{{from, spare_.data(), remaining_, left_.data(), counts_.data()}, k};
  vertex_map(exec_, (remaining_ + kcore::kBlock - 1) / kcore::kBlock, keep, kcore::kGrainBlocks);
  std::swap(rest_, spare_);
  remaining_ = exec_.fetch(counts_, 1);
  return exec_.fetch(counts_, 0);
}

template <class Exec, class View>
void KcoreRun<Exec, View>::begin_level(VertexId k) {
  exec_.store(counts_, 1, VertexId{0});
  const kcore::TakeFew take{{rest_.data(), spare_.data(), remaining_, left_.data(), counts_.data()}, k};
  vertex_map(exec_, (remaining_ + kcore::kBlock - 1) / kcore::kBlock, take, kcore::kGrainBlocks);
  set_frontier(exec_.fetch(counts_, 1));
}

template <class Exec, class View>
void KcoreRun<Exec, View>::set_frontier(VertexId count) {
  for (Side& side : sides_) {
    const EdgeId edges = vertex_sum<EdgeId>(exec_, count, kcore::DegreesOf{spare_.data(), side.rows.offsets});
    side.frontier.assign(exec_, spare_.data(), count, edges);
  }
}

template <class Exec, class View>
std::uint64_t KcoreRun<Exec, View>::peel(VertexId k) {
  std::uint64_t edges = 0;
  for (auto& [rows, lists, frontier, next] : sides_) {
    const auto push = [&](const auto& f) { return edge_map_push(exec_, rows, lists, frontier, f, next).edges; };
    edges += pushes_alone(exec_, lists, frontier) ? push(kcore::Peel<true>{left_.data(), cores_.data(), k})
                                                  : push(kcore::Peel<false>{left_.data(), cores_.data(), k});
  }
  if (sides_.size() == 1) {
    std::swap(sides_[0].frontier, sides_[0].next);
    return edges;
  }
  VertexId count = 0;
  for (Side& side : sides_) {
    side.next.copy_to(exec_, spare_.data() + count);
    count += static_cast<VertexId>(side.next.size());
  }
  set_frontier(count);
  return edges;
}

template <class Exec, class View>
AlgoStats KcoreRun<Exec, View>::run() {
  AlgoStats stats;
  stats.edges_examined = count_edges();
  remaining_ = graph_.num_vertices();
  Progress progress("k-core", 0, "round");
  VertexId below = 0;
  for (VertexId k; (k = drop_below(below)) != kNoVertex; below = k + 1) {
    for (begin_level(k); !sides_[0].frontier.empty(); ++stats.iterations) {
      const std::uint64_t edges = peel(k);
      stats.edges_examined += edges;
      progress.end_round(edges);
    }
  }
  exec_.synchronize();
  return stats;
}

}  // namespace graphrun::inline GR_IDS
