// SPDX-License-Identifier: Apache-2.0
// Topological levels by peeling, both executors. A level removes all vertices whose in-edges are gone. What cannot be removed is
// on cycles, or reached from one: each of these vertices has a predecessor among them, so a walk backward comes to a cycle.
#pragma once

#include <utility>
#include <vector>

#include "graphrun/algorithms/topo.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::topo::inline GR_IDS {

/// Counts the in-edges of each vertex, from the lists of their sources.
struct CountIn {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  EdgeId* in_edges;

  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId, VertexId u) const { atomics::fetch_add(in_edges[u], EdgeId{1}); }
};

struct HasNone {
  const EdgeId* in_edges;
  GR_HD bool operator()(VertexId v) const { return in_edges[v] == 0; }
};

/// Gives a vertex its level, and takes its out-edges away.
template <bool kAlone>
struct RemoveLevel {
  using Weight = NoWeight;
  using Can = Capabilities<can::Prepare, can::Add>;
  EdgeId* in_edges;
  VertexId* levels;
  VertexId level;

  GR_HD void prepare(VertexId u) const { levels[u] = level; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD EdgeId operator()(VertexId, VertexId, NoWeight) const { return 1; }
  GR_HD bool add(VertexId v, EdgeId edges) const {
    if constexpr (kAlone) return (in_edges[v] -= edges) == 0;
    return atomics::fetch_add(in_edges[v], 0 - edges) == edges;
  }
};

/// Finds the smallest predecessor of each vertex that has no level, among such vertices.
struct FindPredecessor {
  using Can = Capabilities<can::Want, can::Share, can::NoteAnyChanges>;
  const VertexId* levels;
  VertexId* predecessors;
  BitmapRef noted;  ///< none for a single rank

  GR_HD bool wants(VertexId v) const { return levels[v] == kNoVertex; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    if (!wants(u)) return;
    take(u, v);
    if (noted.words != nullptr) noted.set(u);
  }
  GR_HD BitmapRef changes() const { return noted; }
  GR_HD VertexId state(VertexId v) const { return predecessors[v]; }
  GR_HD void take(VertexId v, VertexId predecessor) const {
    if (predecessor < atomics::load(predecessors[v])) atomics::fetch_min(predecessors[v], predecessor);
  }
};

}  // namespace graphrun::topo::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
TopoRun<Exec, View>::TopoRun(Exec& exec, const GraphView<View>& graph)
    : exec_(exec),
      graph_(graph),
      in_edges_(exec.template make_array<EdgeId>(graph.num_vertices())),
      levels_(exec.template make_array<VertexId>(graph.num_vertices())),
      frontier_(exec, graph.out),
      next_(exec, graph.out) {
  load_kernels<TopoRun>(exec_);
  fill(exec_, levels_, kNoVertex);  // touches memory before the clock
}

template <class Exec, class View>
AlgoStats TopoRun<Exec, View>::run() {
  AlgoStats stats;
  Progress progress("topological order", 0, "level");
  const auto count = [&](std::uint64_t edges) {
    stats.edges_examined += edges;
    progress.end_round(edges);
  };
  const std::size_t n = graph_.num_vertices();
  fill(exec_, in_edges_, EdgeId{0});
  fill(exec_, levels_, kNoVertex);
  count(sum_of_ranks(exec_, edge_map_all(exec_, graph_.out, graph_.out_edges, 0, topo::CountIn{in_edges_.data()}).edges));
  add_over_ranks(exec_, in_edges_.data(), n);
  vertex_filter(exec_, n, topo::HasNone{in_edges_.data()}, frontier_);
  removed_ = 0;
  for (VertexId level = 0; !frontier_.empty(); ++level) {
    removed_ += frontier_.size();
    const auto push = [&](const auto& f) {
      count(edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, f, next_).edges);
    };
    if (pushes_alone(exec_, graph_.out_edges, frontier_))
      push(topo::RemoveLevel<true>{in_edges_.data(), levels_.data(), level});
    else
      push(topo::RemoveLevel<false>{in_edges_.data(), levels_.data(), level});
    std::swap(frontier_, next_);
    ++stats.iterations;
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
VertexId TopoRun<Exec, View>::find_cycle() {
  const std::size_t n = graph_.num_vertices();
  if (removed_ == n) return kNoVertex;
  auto predecessors = exec_.template make_array<VertexId>(n);
  auto noted = ranks::make_notes<std::uint32_t>(exec_, BitmapRef::words_for(n));
  fill(exec_, predecessors, kNoVertex);
  fill(exec_, noted, 0u);
  edge_map_all(exec_, graph_.out, graph_.out_edges, 0,
               topo::FindPredecessor{levels_.data(), predecessors.data(), {noted.data()}});
  const std::vector<VertexId> before = exec_.download(predecessors);
  VertexId at = 0;
  while (before[at] == kNoVertex) ++at;
  for (std::size_t step = 0; step < n; ++step) at = before[at];
  VertexId smallest = at;
  for (VertexId v = before[at]; v != at; v = before[v]) smallest = v < smallest ? v : smallest;
  return smallest;
}

}  // namespace graphrun::inline GR_IDS
