// Kernels of steps from a frontier: pushing along the lists of its vertices, and pulling by those that want to join.
#pragma once

#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// What f pushes along a lane's list; anything where that is empty.
template <class F>
__device__ auto source_of(const F& f, const WorkItem& work) {
  return work.begin < work.end ? f.source(work.vertex) : decltype(f.source(work.vertex)){};
}

inline constexpr EdgeId kPullLimit = 512;  // edges a warp scans for one vertex before it leaves the rest to others

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    push_kernel(Rows rows, View view, const QueueItem* items, Groups groups, OrderFor<View> order, F f, QueueRef next) {
  using Weight = typename F::Weight;
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long joined = 0, joined_edges = 0;
  for (std::uint64_t i = order.first(); i < groups.size(); i = order.next(i)) {
    const std::uint64_t at = groups.item(order.piece(i, groups.size()));
    const WorkItem work = at < groups.count ? rows.piece(items[at].vertex, items[at].piece) : WorkItem{0, 0, 0};
    const auto mine = source_of(f, work);
    walk_lists<Weight>(edges, work.begin, work.end, tally, [&](int owner, VertexId v, Weight w, bool active) {
      const auto source = __shfl_sync(kAllLanes, mine, owner);
      const bool joins = active && f(source, v, w);
      joined_edges += append_vertex(next, rows, joins, v);
      joined += joins;
    });
  }
  joined = warp_sum(joined);
  joined_edges = warp_sum(joined_edges);
  if (lane == 0 && joined != 0) {
    atomicAdd(&next.counters->vertices, joined);
    atomicAdd(&next.counters->edges, joined_edges);
  }
  tally.flush(view.traffic);
}

/// Scans [begin, end) with the whole warp until f accepts; returns the accepted neighbour or kNoVertex, the same in all lanes.
template <class View, class F>
__device__ VertexId scan_list(EdgeReader<View>& edges, EdgeId begin, EdgeId end, const F& f, Tally& tally,
                              unsigned long long& examined) {
  const int lane = lane_id();
  const EdgeId start = edges.access() == Access::aligned ? begin / kLineIds * kLineIds : begin;
  EdgeId reached = start;
  for (EdgeId base = start; base < end; base += kWarp) {
    const EdgeId e = base + lane;
    const bool active = e >= begin && e < end;
    if (base >= reached) reached = edges.template reach_together<NoWeight>(base, min(end, base + kPullLimit));
    const VertexId u = read_neighbour(edges, e, active);
    if (lane == 0) {
      const EdgeId from = base < begin ? begin : base;
      const EdgeId to = base + kWarp < end ? base + kWarp : end;
      tally.add_list<NoWeight>(Access::aligned, from, to);
      examined += to - from;
    }
    const unsigned hits = __ballot_sync(kAllLanes, active && f.accepts(u));
    if (hits != 0) return __shfl_sync(kAllLanes, u, __ffs(static_cast<int>(hits)) - 1);
  }
  return kNoVertex;
}

/// One warp looks after the 32 vertices of a bitmap word. Each lane first tries the sector its list starts in; lists that
/// go on are scanned by the whole warp; what is left after kPullLimit edges is queued for pull_rest_kernel.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    pull_kernel(Rows rows, View view, Rows out, OrderFor<View> order, F f, BitmapRef next, Counters* counters, QueueRef rest) {
  const int lane = lane_id();
  const std::uint64_t words = (rows.num_vertices + 31) / 32;
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long joined = 0, joined_edges = 0, examined = 0;
  for (std::uint64_t i = order.first(); i < words; i = order.next(i)) {
    const std::uint64_t word = order.piece(i, words);
    const std::uint64_t index = word * 32 + lane;
    const auto v = static_cast<VertexId>(index);
    const bool wants = index < rows.num_vertices && f.wants(v);
    EdgeId begin = wants ? rows.offsets[v] : 0;
    const EdgeId end = wants ? rows.offsets[v + 1] : 0;
    const EdgeId probe_end = edges.access() == Access::naive ? end : min(end, begin / kSectorIds * kSectorIds + kSectorIds);
    const EdgeId first = begin;
    bool found = false;
    edges.template reach<NoWeight>(begin, min(begin + kSectorIds, probe_end));
    for (;;) {
      const bool looks = begin < probe_end && !found;
      if (!__any_sync(kAllLanes, looks)) break;
      const VertexId u = read_neighbour(edges, begin, looks);
      if (!looks) continue;
      found = f.accepts(u);
      if (found) f.visit(v, u);
      ++begin;
    }
    examined += begin - first;
    tally.add_list<NoWeight>(edges.access() == Access::naive ? Access::naive : Access::aligned, first, begin);

    for (unsigned owners = __ballot_sync(kAllLanes, !found && begin < end); owners != 0; owners &= owners - 1) {
      const int owner = __ffs(static_cast<int>(owners)) - 1;
      const EdgeId from = __shfl_sync(kAllLanes, begin, owner);
      const EdgeId to = __shfl_sync(kAllLanes, end, owner);
      const bool cut = rows.is_cut(to - from) && to - from > kPullLimit;
      const VertexId u = scan_list(edges, from, cut ? from + kPullLimit : to, f, tally, examined);
      if (lane == owner) {
        if (u != kNoVertex) {
          f.visit(v, u);
          found = true;
        } else if (cut) {
          const EdgeId pieces = rows.pieces(to - rows.offsets[v]);
          const unsigned long long place = atomicAdd(&counters->deferred, static_cast<unsigned long long>(pieces));
          if (place + pieces > rest.capacity) {
            atomicExch(&counters->fault, 1u);
          } else {
            for (EdgeId k = 0; k < pieces; ++k) rest.items[place + k] = {v, static_cast<VertexId>(k)};
          }
        }
      }
    }
    joined += found;
    joined_edges += found ? out.degree(v) : 0;
    const std::uint32_t bits = __ballot_sync(kAllLanes, found);
    if (lane == 0) next.words[word] = bits;
  }
  joined = warp_sum(joined);
  joined_edges = warp_sum(joined_edges);
  examined = warp_sum(examined);
  if (lane == 0) {
    if (joined != 0) {
      atomicAdd(&counters->vertices, joined);
      atomicAdd(&counters->edges, joined_edges);
    }
    if (examined != 0) atomicAdd(&counters->examined, examined);
  }
  tally.flush(view.traffic);
}

/// The pieces of long lists that pull_kernel left, a warp each. Several warps may find a parent for one vertex: each is a
/// right one, and the warp that sets the vertex's bit counts it.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    pull_rest_kernel(Rows rows, View view, Rows out, OrderFor<View> order, F f, BitmapRef next, Counters* counters,
                     QueueRef rest) {
  const int lane = lane_id();
  const std::uint64_t count = min(counters->deferred, static_cast<unsigned long long>(rest.capacity));
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < count; i = order.next(i)) {
    const QueueItem item = rest.items[order.piece(i, count)];
    const WorkItem work = rows.piece(item.vertex, item.piece);
    // One lane looks for all: the word may change while they do.
    const std::uint32_t seen = __shfl_sync(kAllLanes, atomics::load(next.words[work.vertex / 32]), 0);
    if (seen >> (work.vertex % 32) & 1u) continue;
    const VertexId u = scan_list(edges, work.begin, work.end, f, tally, examined);
    if (u == kNoVertex || lane != 0) continue;
    const std::uint32_t bit = 1u << (work.vertex % 32);
    if ((atomics::fetch_or(next.words[work.vertex / 32], bit) & bit) != 0) continue;
    f.visit(work.vertex, u);
    atomicAdd(&counters->vertices, 1ull);
    atomicAdd(&counters->edges, static_cast<unsigned long long>(out.degree(work.vertex)));
  }
  examined = warp_sum(examined);
  if (lane == 0 && examined != 0) atomicAdd(&counters->examined, examined);
  tally.flush(view.traffic);
}

}  // namespace graphrun::cuda::inline GR_IDS
