// SPDX-License-Identifier: Apache-2.0
// Maximal independent set, both executors: the set that one thread finds which takes vertices in the order of their hashes,
// unless a neighbour was taken. A round takes all vertices whose earlier neighbours are excluded, and excludes their neighbours.
// Each of these then counts for its later neighbours. The expected number of rounds is at most the square of the logarithm of the
// number of vertices (Blelloch, Fineman and Shun), and few in practice.
#pragma once

#include <cstdint>

#include "algorithms/countable.hpp"
#include "graphrun/algorithms/mis.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::mis::inline GR_IDS {

inline constexpr std::uint32_t kOpen = 0;
inline constexpr std::uint32_t kMember = 1;
inline constexpr std::uint32_t kExcluded = 2;

/// Counts edges to earlier neighbours. A self loop is none.
struct CountEarlier {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  VertexId* earlier;

  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    if (mis_takes_before(u, v)) atomics::fetch_add(earlier[v], VertexId{1});
  }
};

struct IsFirst {
  const VertexId* earlier;
  GR_HD bool operator()(VertexId v) const { return earlier[v] == 0; }
};

/// Takes vertices, and excludes their neighbours. No two of them are neighbours.
struct Exclude {
  using Weight = NoWeight;
  using Can = Capabilities<can::Prepare, can::Share>;
  std::uint32_t* states;

  GR_HD void prepare(VertexId u) const { states[u] = kMember; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const { return v != u && take(v, kExcluded); }
  GR_HD std::uint32_t state(VertexId v) const { return states[v]; }
  GR_HD bool take(VertexId v, std::uint32_t excluded) const {
    return atomics::load(states[v]) == kOpen && atomics::compare_exchange(states[v], kOpen, excluded);
  }
};

/// Takes the edges of excluded vertices from the counts of later neighbours.
struct Release {
  using Weight = NoWeight;
  using Can = Capabilities<can::Add>;
  const std::uint32_t* states;
  VertexId* earlier;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD VertexId operator()(VertexId u, VertexId v, NoWeight) const {
    return states[v] == kOpen && mis_takes_before(u, v) ? 1 : 0;
  }
  GR_HD bool add(VertexId v, VertexId edges) const { return atomics::fetch_add(earlier[v], 0 - edges) == edges; }
};

struct IsMember {
  std::uint32_t* states;
  GR_HD void operator()(std::size_t v) const { states[v] = states[v] == kMember ? 1 : 0; }
};

}  // namespace graphrun::mis::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
MisRun<Exec, View>::MisRun(Exec& exec, const GraphView<View>& graph)
    : exec_(exec),
      graph_(graph),
      earlier_(exec.template make_array<VertexId>(graph.num_vertices())),
      states_(exec.template make_array<std::uint32_t>(graph.num_vertices())),
      taken_(exec, graph.out),
      excluded_(exec, graph.out) {
  load_kernels<MisRun>(exec_);
  if (!graph_.symmetric) throw UsageError("mis needs an undirected graph");
  require_countable(exec_, "mis", graph_.out);
  fill(exec_, earlier_, VertexId{0});  // touches memory before the clock
  fill(exec_, states_, mis::kOpen);
}

template <class Exec, class View>
AlgoStats MisRun<Exec, View>::run() {
  AlgoStats stats;
  Progress progress("independent set", 0, "round");
  const std::size_t n = graph_.num_vertices();
  fill(exec_, earlier_, VertexId{0});
  fill(exec_, states_, mis::kOpen);
  const auto count = [&](std::uint64_t edges) {
    stats.edges_examined += edges;
    progress.end_round(edges);
  };
  count(sum_of_ranks(exec_, edge_map_all(exec_, graph_.out, graph_.out_edges, 0, mis::CountEarlier{earlier_.data()}).edges));
  collect_parts(exec_, earlier_);
  vertex_filter(exec_, n, mis::IsFirst{earlier_.data()}, taken_);
  for (; !taken_.empty(); ++stats.iterations) {
    count(edge_map_push(exec_, graph_.out, graph_.out_edges, taken_, mis::Exclude{states_.data()}, excluded_).edges);
    count(edge_map_push(exec_, graph_.out, graph_.out_edges, excluded_, mis::Release{states_.data(), earlier_.data()}, taken_)
              .edges);
  }
  vertex_map(exec_, n, mis::IsMember{states_.data()});
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
MisOutput MisRun<Exec, View>::output() {
  return {exec_.download(states_)};
}

}  // namespace graphrun::inline GR_IDS
