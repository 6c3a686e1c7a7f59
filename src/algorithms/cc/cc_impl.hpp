// SPDX-License-Identifier: Apache-2.0
// Weakly connected components, both executors. State is a forest: parents[v] <= v, roots are their own parents. Linking an edge
// hooks the larger of two roots under the smaller; compressing makes every vertex point to its root.
//
// Sampling skips most edges. After two edges a vertex, nearly all of a graph with a giant component is in one tree. An edge with
// an end in that tree is skipped if its other end examines it. So a directed graph needs its transpose.
//
// In a GPU's memory a search from a hub finds the giant component sooner (Slota, Rajamanickam and Madduri, IPDPS 2014): bitmaps
// of its steps stay in the L2 cache, and parents do not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "graphrun/algorithms/cc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/direction.hpp"
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

inline constexpr std::uint64_t kHubSample = 1024;  // pieces of cut lists, among which is one of a large hub

/// Finds the longest of the lists of `sampled` pieces: its edges (at most 2^32 - 1) above the number of the piece.
struct FindHub {
  Rows rows;
  std::uint64_t sampled;
  std::uint64_t* hub;
  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t piece = i * rows.num_hub_chunks / sampled;
    const EdgeId degree = rows.degree(static_cast<VertexId>(rows.hub_chunks[piece].vertex));
    atomics::fetch_max(*hub, (degree < 0xffffffff ? degree : 0xffffffff) << 32 | piece);
  }
};

/// Finds the smallest vertex that a search reached.
struct FindSmallest {
  const VertexId* reached_from;
  VertexId* smallest;
  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    if (v < atomics::load_cached(*smallest) && reached_from[v] != kNoVertex) atomics::fetch_min(*smallest, v);
  }
};

/// Makes a tree of the vertices that a search reached.
struct TakeReached {
  const VertexId* reached_from;
  VertexId* parents;
  VertexId root;
  GR_HD void operator()(std::size_t v) const { parents[v] = reached_from[v] == kNoVertex ? static_cast<VertexId>(v) : root; }
};

/// Links along pushed edges.
struct LinkPushed {
  using Weight = NoWeight;
  using Can = Capabilities<>;
  VertexId* parents;
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
    link(parents, u, v);
    return false;
  }
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
  if constexpr (SearchesByOneKernel<Exec, View>) {
    constexpr EdgeId kLeastShare = 16;  // of the edges, in pieces of cut lists: hubs, a few steps from nearly all vertices
    const bool has_hubs = graph_.out.num_hub_chunks > graph_.out.pieces(graph_.num_edges) / kLeastShare;
    if (options_.variant == CcVariant::afforest && graph_.symmetric && has_hubs && searches_by_one_kernel(exec_, graph_) &&
        exec_.is_on_device(graph_.out_edges.neighbours)) {  // steps would move pages of managed memory again
      search_ = std::make_unique<BfsRun<Exec, View>>(exec_, graph_, BfsOptions{});
      hub_ = exec.template make_array<std::uint64_t>(1);
    }
  }
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
bool CcRun<Exec, View>::search(AlgoStats& stats) {
  if constexpr (SearchesByOneKernel<Exec, View>) {
    constexpr std::uint64_t kMostLevels = 64;  // from a hub; a long path would take one for each vertex
    constexpr EdgeId kFewEdges = 8;            // this share of all edges is pushed along sooner than samples are taken
    const VertexId n = graph_.num_vertices();
    const std::uint64_t pieces = graph_.out.num_hub_chunks;
    const std::uint64_t sampled = std::min(pieces, cc::kHubSample);
    exec_.store(hub_, 0, std::uint64_t{0});
    vertex_map(exec_, sampled, cc::FindHub{graph_.out, sampled, hub_.data()});
    HubChunk hub;
    exec_.copy_to_host(&hub, graph_.out.hub_chunks + (exec_.fetch(hub_, 0) & 0xffffffff), sizeof(hub));
    stats.edges_examined += search_->run(static_cast<VertexId>(hub.vertex), kMostLevels).edges_examined;
    ++stats.iterations;
    exec_.store(parents_, 0, kNoVertex);  // free until there is a tree
    const cc::FindSmallest find{search_->parents(), parents_.data()};
    constexpr VertexId kFirst = 1024;  // among which it nearly always is: then the others load nothing
    vertex_map(exec_, std::min(kFirst, n), find);
    vertex_map(exec_, n, find);
    const VertexId root = exec_.fetch(parents_, 0);
    vertex_map(exec_, n, cc::TakeReached{search_->parents(), parents_.data(), root});
    const auto [others, next] = search_->unreached();
    if (others.edges() > graph_.num_edges / kFewEdges) return false;
    const EdgeMapStats step = edge_map_push(exec_, graph_.out, graph_.out_edges, others, cc::LinkPushed{parents_.data()}, next);
    stats.edges_examined += step.edges;
    ++stats.iterations;
    if (exec_.fetch(parents_, root) != root) {  // the search had not ended
      compress();
    } else {
      frontier_map(exec_, others, cc::Compress{parents_.data(), 0});
    }
    exec_.synchronize();
    return true;
  }
  return false;
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
  if (search_ == nullptr) {
    vertex_map(exec_, graph_.num_vertices(), cc::SelfParent{parents_.data()});
  } else if (search(stats)) {
    return stats;
  }
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
