// Weakly connected components, both executors. State is a forest: parents[v] <= v, roots point to themselves. Linking an
// edge hooks the larger of two roots under the smaller; compressing makes every vertex point to its root.
//
// Sampling skips most edges: after two edges a vertex, nearly all of a graph with a giant component is in one tree, and
// an edge with an end in that tree needs no look if its other end looks at it (which is why a directed graph needs its
// transpose to skip anything).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/algo/cc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cc::inline GR_IDS {

inline constexpr EdgeId kSampledEdges = 2;  // a vertex, before the largest component is guessed

struct Fresh {
  GR_HD VertexId operator()(const VertexId& parent) const { return atomics::load(parent); }
};

/// What this multiprocessor's cache has: a parent of some time ago, which is still above. All warps ask for the root of the
/// largest tree, and one bank of the L2 cache answers them one after another: at scale 25, in device memory, that took half of
/// the run (5.9 and 3.0 ms on an H200).
struct Cached {
  GR_HD VertexId operator()(const VertexId& parent) const {
#if defined(__CUDA_ARCH__)
    return __ldca(&parent);
#else
    return atomics::load(parent);
#endif
  }
};

/// The root above v; on the way every vertex is made to point one further up, so that later walks are short (intermediate
/// pointer jumping; Jaiganesh and Burtscher, HPDC 2018). A store may undo a longer jump of another worker; both are right.
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

GR_HD inline void link(VertexId* parents, VertexId u, VertexId v) {
  VertexId a = find(parents, u, Cached{});
  VertexId b = find(parents, v, Cached{});
  while (a != b) {
    const VertexId high = a > b ? a : b;
    const VertexId low = a > b ? b : a;
    if (atomics::compare_exchange(parents[high], high, low)) return;
    a = find(parents, high, Fresh{});  // it is no root any more
    b = find(parents, low, Fresh{});
  }
}

struct Link {
  VertexId* parents;
  const std::uint8_t* were_roots;  ///< not 0: when all ranks last had the same trees; null where there is one
  VertexId common{};               ///< the root of many vertices

  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const { link(parents, v, u); }
  /// Of a vertex below a root all ranks know as much.
  GR_HD bool changed(VertexId v) const { return were_roots[v] != 0 && parents[v] != v; }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD void take(VertexId v, VertexId parent) const {
    if (parent != atomics::load(parents[v])) link(parents, v, parent);
  }
};

/// Where `common` is the root of the largest component.
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

struct NoteRoot {
  const VertexId* parents;
  std::uint8_t* are_roots;
  GR_HD void operator()(std::size_t v) const { are_roots[v] = parents[v] == v; }
};

/// Hands out where this rank's vertices hang. What others know of them is forgotten.
struct PlaceOwn {
  static constexpr bool kOwnChanges = true;
  VertexId* parents;
  VertexId common;  ///< the root of many

  GR_HD bool changed(VertexId v) const { return parents[v] != v; }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD void take(VertexId v, VertexId parent) const { parents[v] = parent; }
};

struct ForgetOthers {
  VertexId* parents;
  std::uint64_t first;
  std::uint64_t last;
  GR_HD void operator()(std::size_t v) const {
    if (v < first || v >= last) parents[v] = static_cast<VertexId>(v);
  }
};

/// Links what each rank calls a sampled vertex with what rank 0 calls it.
struct LinkSamples {
  VertexId* parents;
  const Roots* ranks;
  GR_HD void operator()(std::size_t i) const {
    link(parents, ranks[i / kSampleSize].of[i % kSampleSize], ranks[0].of[i % kSampleSize]);
  }
};

struct Sample {
  const VertexId* parents;
  Roots* roots;
  std::uint64_t num_vertices;
  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15ull;
    roots->of[i] = root_above(parents, static_cast<VertexId>((mixed ^ (mixed >> 29)) % num_vertices));
  }
};

inline VertexId Roots::most_frequent() const {
  std::vector<VertexId> roots(std::begin(of), std::end(of));
  std::sort(roots.begin(), roots.end());
  VertexId best = roots[0];
  std::size_t best_count = 0;
  for (std::size_t i = 0; i < roots.size();) {
    const auto begin = roots.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = static_cast<std::size_t>(std::upper_bound(begin, roots.end(), roots[i]) - roots.begin());
    if (end - i > best_count) best = roots[i], best_count = end - i;
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
      roots_(
          exec.template make_array<cc::Roots>(exec.part().alone() ? 1 : static_cast<std::size_t>(exec.part().exchange->size()))),
      were_roots_(exec.template make_array<std::uint8_t>(exec.part().alone() ? 0 : graph.num_vertices())) {
  if (options_.variant == CcVariant::afforest) graph_.require_in("cc by afforest");
}

template <class Exec, class View>
void CcRun<Exec, View>::compress() {
  const RankPart own = exec_.part().within(graph_.num_vertices());
  vertex_map(exec_, own.last - own.first, cc::Compress{parents_.data(), own.first});
}

template <class Exec, class View>
cc::Link CcRun<Exec, View>::linking(VertexId common) {
  if (exec_.part().alone()) return {parents_.data(), nullptr, common};
  vertex_map(exec_, graph_.num_vertices(), cc::NoteRoot{parents_.data(), were_roots_.data()});
  return {parents_.data(), were_roots_.data(), common};
}

template <class Exec, class View>
cc::Roots CcRun<Exec, View>::sample() {
  const std::size_t mine = exec_.part().alone() ? 0 : static_cast<std::size_t>(exec_.part().exchange->rank());
  vertex_map(exec_, cc::kSampleSize, cc::Sample{parents_.data(), roots_.data() + mine, graph_.num_vertices()});
  return exec_.fetch(roots_, mine);
}

template <class Exec, class View>
EdgeMapStats CcRun<Exec, View>::join_trees(const EdgeMapStats& sampling) {
  const RankPart own = exec_.part().within(graph_.num_vertices());
  const cc::Roots mine = sample();
  vertex_map(exec_, graph_.num_vertices(), cc::ForgetOthers{parents_.data(), own.first, own.last});
  const EdgeMapStats all = share_changes(exec_, graph_.out, sampling, cc::PlaceOwn{parents_.data(), mine.most_frequent()});
  const std::vector<cc::Roots> ranks = ranks::gather_from_ranks(exec_, mine);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) exec_.store(roots_, rank, ranks[rank]);
  vertex_map(exec_, ranks.size() * cc::kSampleSize, cc::LinkSamples{parents_.data(), roots_.data()});
  compress();
  return all;
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
  bool compressed = false;
  if (options_.variant == CcVariant::hooking) {
    const cc::Link link = linking(0);
    count(share_changes(exec_, graph_.out, edge_map_all(exec_, graph_.out, graph_.out_edges, 0, link), link));
  } else {
    EdgeMapStats sampling =
        edge_map_leading(exec_, graph_.out, graph_.out_edges, cc::kSampledEdges, cc::Link{parents_.data(), nullptr});
    compress();
    const bool alone = exec_.part().alone();
    if (!alone) sampling = join_trees(sampling);
    count(sampling);
    const VertexId common = sample().most_frequent();
    const auto link_outside = [&](const Rows& rows, const View& edges, EdgeId skip) {
      const cc::LinkOutside outside{linking(common)};
      count(share_changes(exec_, rows, edge_map_all(exec_, rows, edges, skip, outside), outside));
    };
    link_outside(graph_.out, graph_.out_edges, alone ? cc::kSampledEdges : 0);
    if (!graph_.symmetric) link_outside(graph_.in, graph_.in_edges, 0);
    compressed = stats.edges_examined == sampling.edges;
  }
  if (!compressed) compress();
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
void CcRun<Exec, View>::collect() {
  collect_parts(exec_, parents_);
}

template <class Exec, class View>
CcOutput CcRun<Exec, View>::output() {
  return {exec_.download(parents_)};
}

}  // namespace graphrun::inline GR_IDS
