// SPDX-License-Identifier: Apache-2.0
// Weakly connected components, both executors. State is a forest: parents[v] <= v, roots are their own parents. Linking an edge
// hooks the larger of two roots under the smaller; compressing makes every vertex point to its root.
//
// Sampling skips most edges. After two edges a vertex, nearly all of a graph with a giant component is in one tree. An edge with
// an end in that tree is skipped if its other end examines it. So a directed graph needs its transpose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/algorithms/cc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cc::inline GR_IDS {

inline constexpr EdgeId kSampledEdges = 2;  // a vertex, before the guess of the largest component

struct Fresh {
  GR_HD VertexId operator()(const VertexId& parent) const { return atomics::load(parent); }
};

/// Loads an earlier parent, which is still an ancestor. All warps read the largest tree's root: from the L2 cache, that took half
/// of the run (scale 25, in device memory: 5.9 and 3.0 ms on an H200).
struct Cached {
  GR_HD VertexId operator()(const VertexId& parent) const { return atomics::load_cached(parent); }
};

/// Returns the root above v, and makes every vertex on the way point one further up (intermediate pointer jumping; Jaiganesh and
/// Burtscher, HPDC 2018). A store may undo a longer jump of another worker; both are right.
template <class Load>
GR_HD VertexId find(VertexId* parents, VertexId v, const Load& load) {
  VertexId current = load(parents[v]);
  if (current == v) return v;
  VertexId below = v;
  for (VertexId above; (above = load(parents[current])) != current;) {
    atomics::store(parents[below], above);
    below = current;
    current = above;
  }
  return current;
}

/// Returns the root that it hooked under another; kNoVertex where both were in one tree.
GR_HD inline VertexId link(VertexId* parents, VertexId u, VertexId v) {
  VertexId a = find(parents, u, Cached{});
  VertexId b = find(parents, v, Cached{});
  while (a != b) {
    const VertexId high = a > b ? a : b;
    const VertexId low = a > b ? b : a;
    if (atomics::compare_exchange(parents[high], high, low)) return high;
    a = find(parents, high, Fresh{});  // it is no longer a root
    b = find(parents, low, Fresh{});
  }
  return kNoVertex;
}

/// Links the sampled edges; ranks join their trees later.
struct LinkSampled {
  using Can = Capabilities<can::ExchangeLater>;
  VertexId* parents;
  GR_HD void operator()(VertexId v, VertexId u) const { link(parents, v, u); }
};

struct Link {
  using Can = Capabilities<can::Want, can::Share, can::NoteAnyChanges>;
  VertexId* parents;
  BitmapRef hooked;   ///< by an edge since all ranks had the same trees; none for a single rank
  VertexId common{};  ///< the root of the largest component

  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId below = link(parents, v, u);
    if (hooked.words != nullptr && below != kNoVertex) hooked.set(below);
  }
  GR_HD BitmapRef changes() const { return hooked; }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD void take(VertexId v, VertexId parent) const {
    if (parent != atomics::load(parents[v])) link(parents, v, parent);
  }
};

struct LinkOutside : Link {
  GR_HD bool wants(VertexId v) const { return atomics::load(parents[v]) != common; }
};

GR_HD inline VertexId root_above(const VertexId* parents, VertexId v) {
  VertexId root = atomics::load(parents[v]);
  for (VertexId above; (above = Cached{}(parents[root])) != root;) root = above;
  return root;
}

struct Compress {
  VertexId* parents;
  std::uint64_t first;
  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(first + i);
    atomics::store(parents[v], root_above(parents, v));
  }
};

struct SelfParent {
  VertexId* parents;
  GR_HD void operator()(std::size_t v) const { parents[v] = static_cast<VertexId>(v); }
};

/// A rank's vertices [first, first + count).
struct Own {
  VertexId* parents;
  VertexId first;
  VertexId count;
  VertexId* below;  ///< of each, a vertex of another rank that was found below it; kNoVertex
  VertexId common;  ///< the root of the largest tree

  GR_HD bool has(VertexId v) const { return v - first < count; }
};

/// Publishes the parents of this rank's vertices, and drops its hooks of other ranks' vertices. Keeps hooks to its own small
/// trees, so that these lists need not be read again.
struct PlaceOwn : Own {
  using Can = Capabilities<can::Share, can::NoteOwnChanges, can::Forget>;
  GR_HD bool changed(VertexId v) const { return parents[v] != v; }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD void take(VertexId v, VertexId parent) const {
    const VertexId was = parents[v];
    if (has(was) && was != common && parents[was] == was) atomics::store(below[was - first], v);
    parents[v] = parent;
  }
  GR_HD void forget(VertexId v) const { take(v, v); }
};

struct LinkForgotten : Own {
  BitmapRef hooked;
  GR_HD void operator()(std::size_t i) const {
    if (below[i] == kNoVertex) return;
    Link{parents, hooked}(static_cast<VertexId>(first + i), below[i]);
    below[i] = kNoVertex;
  }
};

/// Links each rank's roots of the sampled vertices with rank 0's. All ranks have all roots.
struct LinkSamples {
  VertexId* parents;
  const Roots* ranks;
  GR_HD void operator()(std::size_t i) const {
    link(parents, ranks[i / kSampleSize].of[i % kSampleSize], ranks[0].of[i % kSampleSize]);
  }
};

/// Fills in this rank's roots of the sampled vertices; `mine` is its number, and other ranks' entries are 0.
struct Sample {
  const VertexId* parents;
  Roots* roots;
  std::size_t mine;
  std::uint64_t num_vertices;
  GR_HD void operator()(std::size_t at) const {
    const std::size_t i = at % kSampleSize;
    const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15ull;
    const auto sampled = static_cast<VertexId>((mixed ^ (mixed >> 29)) % num_vertices);
    roots[at / kSampleSize].of[i] = at / kSampleSize == mine ? root_above(parents, sampled) : 0;
  }
};

inline Frequent Roots::most_frequent() const {
  std::vector<VertexId> roots(std::begin(of), std::end(of));
  std::sort(roots.begin(), roots.end());
  Frequent best{roots[0], 0};
  for (std::size_t i = 0; i < roots.size();) {
    const auto begin = roots.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = static_cast<std::size_t>(std::upper_bound(begin, roots.end(), roots[i]) - roots.begin());
    if (end - i > best.count) best = {roots[i], end - i};
    i = end;
  }
  return best;
}

}  // namespace graphrun::cc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
CcRun<Exec, View>::CcRun(Exec& exec, const GraphView<View>& graph, const CcOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      parents_(exec.template make_array<VertexId>(graph.num_vertices())),
      roots_(exec.template make_array<cc::Roots>(exec.part().ranks())),
      own_(exec.part().within(graph.num_vertices())),
      below_(ranks::make_notes<VertexId>(exec, own_.last - own_.first)),
      hooked_(ranks::make_notes<std::uint32_t>(exec, BitmapRef::words_for(graph.num_vertices()))) {
  load_kernels<CcRun>(exec_);
  if (options_.variant == CcVariant::afforest) graph_.require_in("cc by afforest");
  fill(exec_, below_, kNoVertex);
  fill(exec_, hooked_, 0u);
}

template <class Exec, class View>
void CcRun<Exec, View>::compress() {
  vertex_map(exec_, own_.last - own_.first, cc::Compress{parents_.data(), own_.first});
}

template <class Exec, class View>
cc::Roots CcRun<Exec, View>::sample() {
  const std::size_t mine = exec_.part().rank();
  const cc::Sample sample{parents_.data(), roots_.data(), mine, graph_.num_vertices()};
  vertex_map(exec_, roots_.size() * cc::kSampleSize, sample);
  return exec_.fetch(roots_, mine);
}

template <class Exec, class View>
VertexId CcRun<Exec, View>::join_trees(const cc::Own& own, const cc::Frequent& mine) {
  const std::size_t samples = roots_.size() * cc::kSampleSize;
  add_over_ranks(exec_, reinterpret_cast<VertexId*>(roots_.data()), samples);
  vertex_map(exec_, samples, cc::LinkSamples{parents_.data(), roots_.data()});
  vertex_map(exec_, own.count, cc::LinkForgotten{own, {hooked_.data()}});
  compress();
  cc::Frequent most{};
  for (const cc::Frequent& theirs : ranks::gather_from_ranks(exec_, mine)) most = theirs.count > most.count ? theirs : most;
  // Roots may differ now. All are above this vertex, and `hooked` tells the others why.
  VertexId common = most.root;
  for (VertexId above; (above = exec_.fetch(parents_, common)) != common;) common = above;
  return common;
}

template <class Exec, class View>
AlgoStats CcRun<Exec, View>::run() {
  AlgoStats stats;
  Progress progress("components", 0, "pass");
  const auto count = [&](const EdgeMapStats& step) {
    stats.edges_examined += step.edges;
    ++stats.iterations;
    progress.end_round(step.edges);
  };
  if (graph_.num_vertices() == 0) return stats;
  vertex_map(exec_, graph_.num_vertices(), cc::SelfParent{parents_.data()});
  const BitmapRef hooked{hooked_.data()};
  bool compressed = false;
  if (options_.variant == CcVariant::hooking) {
    count(edge_map_all(exec_, graph_.out, graph_.out_edges, 0, cc::Link{parents_.data(), hooked}));
  } else {
    EdgeMapStats sampling =
        edge_map_leading(exec_, graph_.out, graph_.out_edges, cc::kSampledEdges, cc::LinkSampled{parents_.data()});
    compress();
    const cc::Frequent frequent = sample().most_frequent();
    const cc::Own own{parents_.data(), static_cast<VertexId>(own_.first), static_cast<VertexId>(own_.last - own_.first),
                      below_.data(), frequent.root};
    sampling = share_changes(exec_, graph_.out, sampling, cc::PlaceOwn{own});
    const VertexId common = sampling.exchanged ? join_trees(own, frequent) : frequent.root;
    count(sampling);
    const cc::LinkOutside outside{{parents_.data(), hooked, common}};
    const auto link_outside = [&](const Rows& rows, const View& edges, EdgeId skip) {
      count(edge_map_all(exec_, rows, edges, skip, outside));
    };
    link_outside(graph_.out, graph_.out_edges, sampling.exchanged ? 0 : cc::kSampledEdges);  // an exchange forgets edges
    if (!graph_.symmetric) link_outside(graph_.in, graph_.in_edges, 0);
    compressed = !sampling.exchanged && stats.edges_examined == sampling.edges;
  }
  if (!compressed) compress();
  exec_.synchronize();
  return stats;
}

}  // namespace graphrun::inline GR_IDS
