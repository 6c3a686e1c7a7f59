// SPDX-License-Identifier: Apache-2.0
// Minimum spanning forest by Boruvka's rounds, both executors. A round reads lists once: each vertex finds its lightest edge to
// another component. Three passes over the vertices find the lightest of each component: its key, of those the smallest lower
// end, of those the smallest higher end. Components then join along these edges. The order of edges is total, so two components
// that choose each other choose the same edge, and there is no other cycle: the smaller root of the two keeps its component. A
// vertex that was a root when its component joined another one keeps that edge.
#pragma once

#include <cstdint>
#include <utility>

#include "algorithms/word_weight.hpp"
#include "graphrun/algorithms/msf.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::msf::inline GR_IDS {

inline constexpr bool kOneWord = sizeof(VertexId) == 4;  // holds a key and an end
inline constexpr std::uint64_t kNone = ~std::uint64_t{0};

/// The lightest edge of each vertex. Other ends are in the order of edges, for both have this vertex.
struct Best {
  std::uint64_t* best;
  VertexId* ends;  ///< with 64-bit ids

  GR_HD bool has(std::size_t v) const { return best[v] != kNone; }
  GR_HD std::uint32_t key(std::size_t v) const { return static_cast<std::uint32_t>(kOneWord ? best[v] >> 32 : best[v]); }
  GR_HD VertexId end(std::size_t v) const { return kOneWord ? static_cast<VertexId>(best[v] & 0xffffffff) : ends[v]; }
  GR_HD VertexId low(std::size_t v) const { return v < end(v) ? static_cast<VertexId>(v) : end(v); }
  GR_HD VertexId high(std::size_t v) const { return v < end(v) ? end(v) : static_cast<VertexId>(v); }
};

template <class T>
GR_HD void lower(T& x, T value) {
  if (value < atomics::load(x)) atomics::fetch_min(x, value);
}

/// Finds the lightest edge of each vertex; with 64-bit ids its key.
struct FindLightest {
  using Weight = std::uint32_t;
  using Can = Capabilities<can::ExchangeLater>;
  const VertexId* roots;
  std::uint64_t* best;
  std::uint32_t mask;  ///< without the sign of floats, of which zeros alone may have one

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, std::uint32_t word) const {
    const std::uint64_t key = word & mask;
    if (roots[u] != roots[v]) lower(best[u], kOneWord ? key << 32 | v : key);
    return false;
  }
};

/// Also adds up a hash that is 0 when both directions of all edges have the same weight.
struct FindFirstLightest : FindLightest {
  VertexId* imbalance;  ///< a part a vertex

  GR_HD bool operator()(VertexId u, VertexId v, std::uint32_t word) const {
    if (u != v) atomics::fetch_add(imbalance[u], balance_of(u, v, word & mask));
    return FindLightest::operator()(u, v, word);
  }
};

/// With 64-bit ids: finds the smallest end of the edges with the key.
struct FindEnds {
  using Weight = std::uint32_t;
  using Can = Capabilities<can::ExchangeLater>;
  const VertexId* roots;
  const std::uint64_t* best;
  VertexId* ends;
  std::uint32_t mask;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, std::uint32_t word) const {
    if (roots[u] != roots[v] && (word & mask) == best[u]) lower(ends[u], v);
    return false;
  }
};

struct HasEdgeOut {
  Best best;
  GR_HD bool operator()(VertexId v) const { return best.has(v); }
};

struct SumOf {
  const VertexId* values;
  GR_HD std::uint64_t operator()(std::size_t v) const { return values[v]; }
};

struct Joining {
  Best best;
  const VertexId* roots;
  VertexId* joined;
  std::uint32_t* keys;
  VertexId* lows;
  VertexId* highs;
};

struct BeginRound : Joining {
  GR_HD void operator()(std::size_t v) const {
    if (roots[v] != v) return;
    keys[v] = ~std::uint32_t{0};
    lows[v] = highs[v] = kNoVertex;
  }
};
struct LowerKeys : Joining {
  GR_HD void operator()(std::size_t v) const {
    if (best.has(v)) lower(keys[roots[v]], best.key(v));
  }
};
struct LowerLows : Joining {
  GR_HD void operator()(std::size_t v) const {
    if (best.has(v) && best.key(v) == keys[roots[v]]) lower(lows[roots[v]], best.low(v));
  }
};
struct LowerHighs : Joining {
  GR_HD void operator()(std::size_t v) const {
    const VertexId root = roots[v];
    if (best.has(v) && best.key(v) == keys[root] && best.low(v) == lows[root]) lower(highs[root], best.high(v));
  }
};

/// Hooks each root under the one at the other end of its edge.
struct Hook : Joining {
  GR_HD void operator()(std::size_t v) const {
    VertexId above = roots[v];
    if (above == v && highs[v] != kNoVertex) above = roots[roots[lows[v]] == v ? highs[v] : lows[v]];
    joined[v] = above;
  }
};

/// Keeps the smaller of two roots that hooked each other.
struct KeepOne : Joining {
  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const VertexId other = atomics::load(joined[v]);
    if (roots[v] != v || v >= other || atomics::load(joined[other]) != v) return;
    atomics::store(joined[v], v);
    highs[v] = kNoVertex;
  }
};

/// Makes a vertex point to the vertex above the one above it. Returns whether that is another one.
struct Jump {
  const VertexId* above;
  VertexId* jumped;
  GR_HD std::uint64_t operator()(std::size_t v) const {
    jumped[v] = above[above[v]];
    return jumped[v] != above[v];
  }
};

struct BeginForest {
  VertexId* roots;
  VertexId* highs;
  GR_HD void operator()(std::size_t v) const {
    roots[v] = static_cast<VertexId>(v);
    highs[v] = kNoVertex;
  }
};

}  // namespace graphrun::msf::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
MsfRun<Exec, View>::MsfRun(Exec& exec, const GraphView<View>& graph, WeightKind kind)
    : exec_(exec),
      graph_(graph),
      mask_(kind == WeightKind::f32 ? 0x7fffffff : 0xffffffff),
      roots_(exec.template make_array<VertexId>(graph.num_vertices())),
      joined_(exec.template make_array<VertexId>(graph.num_vertices())),
      best_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      ends_(exec.template make_array<VertexId>(msf::kOneWord ? 0 : graph.num_vertices())),
      keys_(exec.template make_array<std::uint32_t>(graph.num_vertices())),
      lows_(exec.template make_array<VertexId>(graph.num_vertices())),
      highs_(exec.template make_array<VertexId>(graph.num_vertices())),
      frontier_(exec, graph.out),
      none_(exec, graph.out) {
  load_kernels<MsfRun>(exec_);
  if (!graph_.symmetric) throw UsageError("msf needs an undirected graph");
  for (auto* const array : {&roots_, &joined_, &ends_, &lows_, &highs_})
    fill(exec_, *array, kNoVertex);  // touches memory before the clock
  fill(exec_, best_, msf::kNone);
  fill(exec_, keys_, 0u);
}

template <class Exec, class View>
std::uint64_t MsfRun<Exec, View>::find_lightest(bool is_first) {
  fill(exec_, best_, msf::kNone);
  const auto read = [&](const auto& f) {
    return sum_of_ranks(exec_, edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, f, none_).edges);
  };
  const msf::FindLightest lightest{roots_.data(), best_.data(), mask_};
  std::uint64_t edges = 0;
  if (is_first) {
    fill(exec_, joined_, VertexId{0});
    edges = read(msf::FindFirstLightest{lightest, joined_.data()});
    collect_parts(exec_, joined_);
    const auto imbalance = vertex_sum<std::uint64_t>(exec_, graph_.num_vertices(), msf::SumOf{joined_.data()});
    if (static_cast<VertexId>(imbalance) != 0)
      throw UsageError("msf needs edges that weigh the same in both directions, and some do not: --undirected makes two of each");
  } else {
    edges = read(lightest);
  }
  collect_parts(exec_, best_);
  if constexpr (!msf::kOneWord) {
    fill(exec_, ends_, kNoVertex);
    edges += read(msf::FindEnds{roots_.data(), best_.data(), ends_.data(), mask_});
    collect_parts(exec_, ends_);
  }
  return edges;
}

template <class Exec, class View>
void MsfRun<Exec, View>::join() {
  const std::size_t n = graph_.num_vertices();
  const msf::Joining joining{
      {best_.data(), ends_.data()}, roots_.data(), joined_.data(), keys_.data(), lows_.data(), highs_.data()};
  vertex_map(exec_, n, msf::BeginRound{joining});
  vertex_map(exec_, n, msf::LowerKeys{joining});
  vertex_map(exec_, n, msf::LowerLows{joining});
  vertex_map(exec_, n, msf::LowerHighs{joining});
  vertex_map(exec_, n, msf::Hook{joining});
  vertex_map(exec_, n, msf::KeepOne{joining});
  for (std::uint64_t moved = 1; moved != 0; std::swap(roots_, joined_))
    moved = vertex_sum<std::uint64_t>(exec_, n, msf::Jump{joined_.data(), roots_.data()});
}

template <class Exec, class View>
AlgoStats MsfRun<Exec, View>::run() {
  AlgoStats stats;
  Progress progress("spanning forest", 0, "round");
  const std::size_t n = graph_.num_vertices();
  vertex_map(exec_, n, msf::BeginForest{roots_.data(), highs_.data()});
  frontier_.insert_all(exec_);
  while (!frontier_.empty()) {
    const std::uint64_t edges = find_lightest(stats.iterations == 0);
    stats.edges_examined += edges;
    ++stats.iterations;
    progress.end_round(edges);
    vertex_filter(exec_, n, msf::HasEdgeOut{{best_.data(), ends_.data()}}, frontier_);
    if (!frontier_.empty()) join();
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
msf::Edges MsfRun<Exec, View>::output() {
  return {exec_.download(keys_), exec_.download(lows_), exec_.download(highs_)};
}

}  // namespace graphrun::inline GR_IDS
