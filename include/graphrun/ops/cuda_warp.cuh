// SPDX-License-Identifier: Apache-2.0
// Traversal of the lists of a warp's lanes, and appends to a queue.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cub/warp/warp_scan.cuh>

#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_edge_reader.cuh"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr EdgeId kSectorIds = 32 / sizeof(VertexId);  // ids in the smallest request
inline constexpr EdgeId kLineIds = 128 / sizeof(VertexId);   // ids in the largest
inline constexpr EdgeId kLongList = 32;                      // lists from here on get the whole warp
inline constexpr int kInFlight = 4;                          // loads a lane issues before it uses the first

/// Returns whether readers traverse lists themselves.
template <class View>
inline constexpr EdgeId kLongListOf = ReadsLists<View> ? 1 : kLongList;

template <class T>
__device__ T warp_inclusive_scan(T value) {
  typename cub::WarpScan<T>::TempStorage none;
  cub::WarpScan<T>(none).InclusiveSum(value, value);
  return value;
}

/// Traffic of one lane, kept in registers and added to the view's counters once, when the lane is done.
class Tally {
 public:
  /// Adds the reads of walk_lists() for [begin, end).
  template <class Weight>
  __device__ void add_walk(Access access, EdgeId begin, EdgeId end) {
    if (access == Access::naive || end - begin >= kLongList) add_list<Weight>(access, begin, end);
    if (access != Access::naive) add_neighbouring_lists<Weight>(end - begin < kLongList ? begin : end, end);
  }
  /// Adds edges that a cached prefix answered.
  __device__ void add_cached(unsigned count) { cached_ += count; }
  /// Adds a list [begin, end) that a lane group traverses with `access`, and its weights when there are any.
  template <class Weight>
  __device__ void add_list(Access access, EdgeId begin, EdgeId end) {
    if (begin >= end) return;
    add_column<sizeof(VertexId)>(access, begin, end);
    if constexpr (sizeof(Weight) == 4) add_column<4>(access, begin, end);
  }
  /// Adds the weights alone of a list.
  __device__ void add_weights(Access access, EdgeId begin, EdgeId end) {
    if (begin < end) add_column<4>(access, begin, end);
  }
  /// Adds lists of neighbouring lanes read at the same time (empty where a lane has none): a shared sector is one request.
  template <class Weight>
  __device__ void add_neighbouring_lists(EdgeId begin, EdgeId end) {
    const EdgeId below = __shfl_up_sync(kAllLanes, end, 1);
    if (begin >= end) return;
    const EdgeId previous = lane_id() == 0 ? 0 : below;
    add_neighbouring_column<sizeof(VertexId)>(previous, begin, end);
    if constexpr (sizeof(Weight) == 4) add_neighbouring_column<4>(previous, begin, end);
  }
  __device__ void flush(Traffic* traffic) {
    if (traffic == nullptr) return;
    add_up(&traffic->bytes, sectors_ * 32ull);
    add_up(&traffic->requests, lines_);
    add_up(&traffic->cached, cached_);
  }

 private:
  __device__ static void add_up(std::uint64_t* total, unsigned long long mine) {
    mine = warp_sum(mine);
    if (lane_id() == 0 && mine != 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), mine);
  }
  template <int kBytes>
  __device__ void add_column(Access access, EdgeId begin, EdgeId end) {
    constexpr EdgeId kSector = 32 / kBytes, kLine = 128 / kBytes;
    if (access == Access::merged && end - begin >= kLongList) {
      const EdgeId steps = (end - begin) / kWarp;
      sectors_ += steps * (kWarp / kSector + (begin % kSector != 0));
      lines_ += steps * (kWarp / kLine + (begin % kLine != 0));
      begin += steps * kWarp;
      if (begin == end) return;
    }
    sectors_ += (end - 1) / kSector - begin / kSector + 1;
    lines_ += access == Access::naive ? end - begin : (end - 1) / kLine - begin / kLine + 1;
  }
  template <int kBytes>
  __device__ void add_neighbouring_column(EdgeId previous, EdgeId begin, EdgeId end) {
    constexpr EdgeId kSector = 32 / kBytes, kLine = 128 / kBytes;
    const auto shares = [&](EdgeId unit) { return previous != 0 && (previous - 1) / unit == begin / unit; };
    sectors_ += (end - 1) / kSector - begin / kSector + (shares(kSector) ? 0 : 1);
    lines_ += (end - 1) / kLine - begin / kLine + (shares(kLine) ? 0 : 1);
  }

  // Counts of a lane in one kernel: far below 2^32.
  unsigned sectors_ = 0;
  unsigned lines_ = 0;
  unsigned cached_ = 0;
};

/// Returns the lane that owns edge `index` of all short lists; `ends` is the lane's inclusive prefix sum.
__device__ inline int packed_owner(unsigned ends, unsigned index) {
  int owner = 0;
  for (int d = kWarp / 2; d > 0; d /= 2) {
    const unsigned end = __shfl_sync(kAllLanes, ends, owner + d - 1);
    if (end <= index) owner += d;
  }
  return owner;
}

/// Returns the place of set bit `n` of `bits`.
__device__ inline unsigned nth_bit(std::uint32_t bits, unsigned n) {
  unsigned place = 0;
#pragma unroll
  for (unsigned half = 16; half > 0; half /= 2) {
    const auto below = static_cast<unsigned>(__popc(bits & ((1u << half) - 1)));
    if (n < below) continue;
    n -= below;
    bits >>= half;
    place += half;
  }
  return place;
}

/// Calls body(owner, bit, has_one) with all lanes for the bits of their words, one a lane at a time: bit `bit` of lane `owner`'s.
template <class Body>
__device__ void deal_bits(std::uint32_t word, const Body& body) {
  const auto ends = warp_inclusive_scan(static_cast<unsigned>(__popc(word)));
  const unsigned total = __shfl_sync(kAllLanes, ends, kWarp - 1);
  for (unsigned index = lane_id(); index - lane_id() < total; index += kWarp) {
    const bool has_one = index < total;
    const int owner = packed_owner(ends, has_one ? index : total - 1);
    const std::uint32_t bits = __shfl_sync(kAllLanes, word, owner);
    const unsigned before = __shfl_sync(kAllLanes, ends, owner) - __popc(bits);
    body(owner, has_one ? nth_bit(bits, index - before) : 0, has_one);
  }
}

/// Traverses the lists of all lanes; lane i owns [begin, end) (empty where begin == end). Calls visit(owner, v, weight, active)
/// for every edge, always with all 32 lanes together; edges are read that way too.
///
/// Long lists get the whole warp, one after another, by the view's access (EMOGI); short ones are packed, so that a step has 32
/// edges of several lists (Merrill et al., PPoPP 2012). naive: each lane traverses its own.
template <class Weight, class View, class Visit>
__device__ void walk_lists(EdgeReader<View>& edges, EdgeId begin, EdgeId end, Visit&& visit) {
  const int lane = lane_id();
  const EdgeId degree = end - begin;
  if (edges.access() == Access::naive) {
    for (EdgeId k = 0; __any_sync(kAllLanes, k < degree); ++k) {
      const bool active = k < degree;
      const VertexId v = read_neighbour(edges, begin + k, active);
      visit(lane, v, read_weight<Weight>(edges, begin + k, active), active);
    }
    return;
  }

  for (unsigned owners = __ballot_sync(kAllLanes, degree >= kLongList); owners != 0; owners &= owners - 1) {
    const int owner = __ffs(static_cast<int>(owners)) - 1;
    const EdgeId first = __shfl_sync(kAllLanes, begin, owner);
    const EdgeId last = __shfl_sync(kAllLanes, end, owner);
    const EdgeId start = edges.access() == Access::aligned ? first / kLineIds * kLineIds : first;
    for (EdgeId base = start, reached = start; base < last; base = reached) {
      reached = edges.template reach_together<Weight>(base, last);
      for (; base < reached; base += kWarp * kInFlight) {
        EdgeId e[kInFlight];
        bool active[kInFlight];
        VertexId v[kInFlight];
        Weight w[kInFlight];
#pragma unroll
        for (int j = 0; j < kInFlight; ++j) {
          e[j] = base + j * kWarp + lane;
          active[j] = e[j] >= first && e[j] < reached;
        }
        edges.neighbours(e, active, v);
        edges.weights(e, active, w);
#pragma unroll
        for (int j = 0; j < kInFlight; ++j) {
          if (base + j * kWarp < reached) visit(owner, v[j], w[j], active[j]);
        }
      }
    }
  }

  const unsigned short_degree = degree < kLongList ? static_cast<unsigned>(degree) : 0;
  const unsigned ends = warp_inclusive_scan(short_degree);
  const unsigned total = __shfl_sync(kAllLanes, ends, kWarp - 1);
  edges.template reach<Weight>(end - short_degree, end);
  for (unsigned base = 0; base < total; base += kWarp * kInFlight) {
    EdgeId e[kInFlight];
    bool active[kInFlight];
    VertexId v[kInFlight];
    Weight w[kInFlight];
    int owner[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      const unsigned index = base + j * kWarp + lane;
      active[j] = index < total;
      owner[j] = packed_owner(ends, active[j] ? index : total - 1);
      const unsigned owner_end = __shfl_sync(kAllLanes, ends, owner[j]);
      const EdgeId list_end = __shfl_sync(kAllLanes, end, owner[j]);
      e[j] = list_end - owner_end + index;
    }
    edges.neighbours(e, active, v);
    edges.weights(e, active, w);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (base + j * kWarp < total) visit(owner[j], v[j], w[j], active[j]);
    }
  }
}

/// Traverses lists by the reader itself, one after another.
template <class Weight, class View, class Visit>
requires ReadsLists<View> __device__ void walk_lists(EdgeReader<View>& edges, EdgeId begin, EdgeId end, Visit&& visit) {
  static_assert(!is_weighted<Weight>);
  for (unsigned owners = __ballot_sync(kAllLanes, begin < end); owners != 0; owners &= owners - 1) {
    const int owner = __ffs(static_cast<int>(owners)) - 1;
    edges.walk(owner, __shfl_sync(kAllLanes, begin, owner), __shfl_sync(kAllLanes, end, owner),
               [&](VertexId v, bool active) { visit(owner, v, Weight{}, active); });
  }
}

/// Returns the sum of a warp's 32 numbers below 2^54, by 32-bit instructions: in 0.40 of the time of cub::WarpReduce (H100).
__device__ inline unsigned long long quick_sum(unsigned long long mine) {
  constexpr int kLow = 27;
  const unsigned low = __reduce_add_sync(kAllLanes, static_cast<unsigned>(mine) & ((1u << kLow) - 1));
  const unsigned high = __reduce_add_sync(kAllLanes, static_cast<unsigned>(mine >> kLow));
  return (static_cast<unsigned long long>(high) << kLow) + low;
}

/// Appends the work items of v, of `degree` edges, for each lane with `joins`; all lanes together. With kCounts the same
/// instruction counts vertices and edges.
template <bool kCounts>
__device__ void append_items(const QueueRef& queue, const Rows& rows, bool joins, unsigned joining, VertexId v, EdgeId degree) {
  const auto pieces = joins ? static_cast<unsigned>(rows.pieces(degree)) : 0u;
  const unsigned ends =
      __any_sync(kAllLanes, pieces > 1) ? warp_inclusive_scan(pieces) : __popc(joining & (kAllLanes >> (kWarp - 1 - lane_id())));
  const unsigned total = __shfl_sync(kAllLanes, ends, kWarp - 1);
  unsigned long long base = 0;
  if constexpr (kCounts) {
    static_assert(offsetof(Counters, vertices) == sizeof(base) && offsetof(Counters, edges) == 2 * sizeof(base));
    const unsigned long long edges = quick_sum(joins ? degree : 0);
    const unsigned long long more = lane_id() == 0 ? total : lane_id() == 1 ? __popc(joining) : edges;
    if (lane_id() < 3) base = atomicAdd(&queue.counters->items + lane_id(), more);
  } else {
    if (lane_id() == 0) base = atomicAdd(&queue.counters->items, static_cast<unsigned long long>(total));
  }
  base = __shfl_sync(kAllLanes, base, 0) + ends - pieces;
  if (base + pieces > queue.capacity) {
    atomicExch(&queue.counters->fault, 1u);
    return;
  }
  for (unsigned k = 0; k < pieces; ++k) queue.items[base + k] = {v, k};
}

/// Does the same for vertices whose degrees are not known yet. Returns v's degree where it joins.
__device__ inline EdgeId append_vertex(const QueueRef& queue, const Rows& rows, bool joins, VertexId v) {
  const unsigned joining = __ballot_sync(kAllLanes, joins);
  if (joining == 0) return 0;
  const EdgeId degree = joins ? rows.degree(v) : 0;
  append_items<false>(queue, rows, joins, joining, v, degree);
  return degree;
}

// Appends of a warp to a queue. All lanes call together: look_up() when it is known which vertex may join, append() when it is
// known whether it does, and finish() at the end.

/// Appends that are counted by sums at the end.
class SummedAppends {
 public:
  __device__ SummedAppends(const QueueRef& queue, const Rows& rows) : queue_(queue), rows_(rows) {}
  __device__ void look_up(VertexId, bool) {}
  __device__ void append(VertexId v, bool joins) {
    edges_ += append_vertex(queue_, rows_, joins, v);
    joined_ += joins;
  }
  __device__ void finish() {
    joined_ = warp_sum(joined_);
    edges_ = warp_sum(edges_);
    if (lane_id() == 0 && joined_ != 0) {
      atomicAdd(&queue_.counters->vertices, joined_);
      atomicAdd(&queue_.counters->edges, edges_);
    }
  }

 private:
  const QueueRef& queue_;
  const Rows& rows_;
  unsigned long long joined_ = 0, edges_ = 0;
};

/// Appends that count at once, for steps that nothing may delay. `eager`: degrees are looked up before it is known which vertices
/// join.
class CountedAppends {
 public:
  __device__ CountedAppends(const QueueRef& queue, const Rows& rows, bool eager) : queue_(queue), rows_(rows), eager_(eager) {}
  __device__ void look_up(VertexId v, bool may_join) {
    if (eager_) degree_ = may_join ? rows_.degree(v) : 0;
  }
  __device__ void append(VertexId v, bool joins) {
    const unsigned joining = __ballot_sync(kAllLanes, joins);
    if (joining == 0) return;
    if (!eager_ && joins) degree_ = rows_.degree(v);
    append_items<true>(queue_, rows_, joins, joining, v, degree_);
  }
  __device__ void finish() {}

 private:
  const QueueRef& queue_;
  const Rows& rows_;
  const bool eager_;
  EdgeId degree_ = 0;
};

}  // namespace graphrun::cuda::inline GR_IDS
