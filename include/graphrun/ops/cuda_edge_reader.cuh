// SPDX-License-Identifier: Apache-2.0
// Reads edges of a view by a warp. All 32 lanes make a reader, call it and destroy it together; lanes without `active` get zeros.
// A reader keeps, from one access to the next, what the view can reuse.
// Edges are reached before they are read: where remote edges are cached, all that a step needs is on its way at once, and reading
// it is as cheap as reading an array. Elsewhere reaching does nothing.
#pragma once

#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// neighbours() and weights() read several edges a lane, all on their way before the first is used.
template <class View>
class EdgeReader;

template <>
class EdgeReader<DirectView> {
 public:
  static constexpr unsigned kLeastBlocks = 4;       // a multiprocessor: fewer do not hide the latency of reading edges
  static constexpr unsigned kLeastSweepBlocks = 4;  // of kernels that traverse all lists and add up
  static constexpr unsigned kLeastPassBlocks = 5;   // of kernels that traverse all lists, or pull
  static constexpr bool kTurns = false;             // each pass begins where the one before it ended (cuda_order.cuh)

  explicit __device__ EdgeReader(const DirectView& view) : view_(view) {}

  __device__ Access access() const { return view_.access; }
  /// Returns the cached prefixes, empty when the prefix length is 0.
  __device__ const CachedPrefixes& prefixes() const { return view_.prefixes; }
  __device__ EdgeId place_of_prefix(VertexId v) const { return view_.place_of_prefix(v); }
  /// Reaches edges [begin, end) of each lane, and their weights; few of them, and none where begin == end.
  template <class Weight>
  __device__ void reach(EdgeId, EdgeId) const {}
  /// Reaches edges from `begin` on that the whole warp will read. Returns where the reached ones end, at `end` or before.
  template <class Weight>
  __device__ EdgeId reach_together(EdgeId, EdgeId end) const {
    return end;
  }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) v[j] = active[j] ? view_.neighbour(e[j]) : 0;
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) w[j] = active[j] ? view_.template weight<Weight>(e[j]) : Weight{};
  }

 private:
  DirectView view_;
};

/// Returns whether edges are found by their vertices, and not by their numbers: then readers traverse lists themselves.
template <class View>
concept ReadsLists = requires(EdgeReader<View>& edges, const WorkItem& item) {
  edges.open(item);
};
/// Tells such a reader whose lists the lanes will traverse. All lanes together.
template <class View>
__device__ void open_lists([[maybe_unused]] EdgeReader<View>& edges, [[maybe_unused]] const WorkItem& item) {
  if constexpr (ReadsLists<View>) edges.open(item);
}

/// Returns whether the view has cached prefixes; known at compile time where it never has.
template <class View>
__device__ bool has_cached_prefixes([[maybe_unused]] const EdgeReader<View>& edges) {
  if constexpr (requires { edges.prefixes(); })
    return edges.prefixes().lead != 0;
  else
    return false;
}

/// The part of a lane's item in a cached prefix, as places that neighbours() reads; empty where count is 0.
struct PrefixPart {
  EdgeId begin = 0;
  std::uint32_t count = 0;

  /// Goes on with [begin, end) in the cached prefixes, once the edges beyond them were traversed. Returns false when no lane has
  /// any left. All lanes together.
  __device__ bool take(EdgeId& first, EdgeId& last) {
    if (!__any_sync(kAllLanes, count != 0)) return false;
    first = begin;
    last = begin + count;
    count = 0;
    return true;
  }
};
/// Cuts from an item its part in a cached prefix. Weights have no cached prefixes.
template <class Weight, class View>
__device__ PrefixPart split_at_prefix([[maybe_unused]] const EdgeReader<View>& edges, [[maybe_unused]] const Rows& rows,
                                      [[maybe_unused]] WorkItem& item) {
  PrefixPart part;
  if constexpr (requires { edges.prefixes(); } && !is_weighted<Weight>) {
    if (!has_cached_prefixes(edges) || item.begin >= item.end) return part;
    const EdgeId begin = rows.offsets[item.vertex];
    const EdgeId end = min(edges.prefixes().end_of(begin, rows.offsets[item.vertex + 1]), item.end);
    if (end <= item.begin) return part;
    part = {edges.place_of_prefix(item.vertex) + (item.begin - begin), static_cast<std::uint32_t>(end - item.begin)};
    item.begin = end;
  }
  return part;
}

template <class View>
__device__ VertexId read_neighbour(EdgeReader<View>& edges, EdgeId e, bool active) {
  VertexId v[1];
  edges.neighbours({e}, {active}, v);
  return v[0];
}
template <class Weight, class View>
__device__ Weight read_weight(EdgeReader<View>& edges, EdgeId e, bool active) {
  Weight w[1];
  edges.weights({e}, {active}, w);
  return w[0];
}

}  // namespace graphrun::cuda::inline GR_IDS
