// SPDX-License-Identifier: Apache-2.0
// Kernels of edge_gather_bits: vertices scan their lists until they have all bits that they lack.
#pragma once

#include <cstdint>

#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_passes.cuh"
#include "graphrun/ops/cuda_steps.cuh"
#include "graphrun/ops/cuda_warp.cuh"

namespace graphrun::cuda::inline GR_IDS {

/// Bits that a vertex lacks, and those that its neighbours brought.
struct Wanted64 {
  std::uint64_t lacking;
  std::uint64_t come = 0;

  __device__ bool goes_on() const { return come != lacking; }
  __device__ void add(std::uint64_t bits) { come |= bits & lacking; }
};

__device__ inline std::uint64_t warp_or(std::uint64_t mine) {
  const unsigned low = __reduce_or_sync(kAllLanes, static_cast<unsigned>(mine));
  const unsigned high = __reduce_or_sync(kAllLanes, static_cast<unsigned>(mine >> 32));
  return std::uint64_t{high} << 32 | low;
}

/// Scans each lane's own edges from `begin` on until `end` or until its vertex has all bits. Returns where it stopped. All lanes
/// together.
template <class View, class F>
__device__ EdgeId gather_alone(EdgeReader<View>& edges, EdgeId begin, EdgeId end, const F& f, Wanted64& wanted) {
  for (;;) {
    EdgeId e[kInFlight];
    bool active[kInFlight];
    VertexId u[kInFlight];
    const bool looks = begin < end && wanted.goes_on();
    if (!__any_sync(kAllLanes, looks)) return begin;
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      e[j] = begin + j;
      active[j] = looks && e[j] < end;
    }
    edges.neighbours(e, active, u);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (active[j]) wanted.add(f.bits(u[j]));
    }
    if (looks) begin = min(begin + kInFlight, end);
  }
}

/// Scans [begin, end) for one vertex with the whole warp, a line at a time.
template <class View, class F>
__device__ void gather_together(EdgeReader<View>& edges, EdgeId begin, EdgeId end, const F& f, Wanted64& wanted, Tally& tally,
                                unsigned long long& examined) {
  const int lane = lane_id();
  const EdgeId start = edges.access() == Access::aligned ? begin / kLineIds * kLineIds : begin;
  EdgeId reached = start;
  for (EdgeId base = start; base < end && wanted.goes_on(); base += kWarp) {
    const EdgeId e = base + lane;
    const bool active = e >= begin && e < end;
    if (base >= reached) reached = edges.template reach_together<NoWeight>(base, min(end, base + kPullLimit));
    const VertexId u = read_neighbour(edges, e, active);
    wanted.add(warp_or(active ? f.bits(u) : 0));
    if (lane == 0) {
      const EdgeId from = max(base, begin);
      const EdgeId to = min(base + kWarp, end);
      tally.add_list<NoWeight>(Access::aligned, from, to);
      examined += to - from;
    }
  }
}

/// Gathers for 32 vertices a warp. Each lane first tries its list's cached prefix, then the sector in which the rest begins. The
/// whole warp scans lists that go on; gather_rest_kernel scans cut ones from kPullLimit edges on.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastPassBlocks)
    gather_bits_kernel(Rows rows, View view, OrderFor<View> order, F f, unsigned long long* total) {
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < rows.own.groups; i = order.next(i)) {
    const std::uint64_t index = (rows.own.first_group + order.piece(i, rows.own.groups)) * kWarp + lane;
    const auto v = static_cast<VertexId>(index);
    Wanted64 wanted{index < rows.num_vertices ? f.lacking(v) : 0};
    WorkItem list{v, 0, 0};
    if (wanted.goes_on()) {
      list = {v, rows.offsets[v], rows.offsets[v + 1]};
      if (rows.is_cut(list.end - list.begin)) list.end = min(list.end, list.begin + kPullLimit);
    }
    const PrefixPart head = split_at_prefix<NoWeight>(edges, rows, list);
    const EdgeId looked = gather_alone(edges, head.begin, head.begin + head.count, f, wanted) - head.begin;
    tally.add_cached(static_cast<unsigned>(looked));
    const bool naive = edges.access() == Access::naive;
    const EdgeId probe_end = naive ? list.end : min(list.end, list.begin / kSectorIds * kSectorIds + kSectorIds);
    edges.template reach<NoWeight>(list.begin, wanted.goes_on() ? min(list.begin + kSectorIds, probe_end) : list.begin);
    const EdgeId begin = gather_alone(edges, list.begin, probe_end, f, wanted);
    tally.add_list<NoWeight>(naive ? Access::naive : Access::aligned, list.begin, begin);
    examined += looked + (begin - list.begin);

    for (unsigned owners = __ballot_sync(kAllLanes, wanted.goes_on() && begin < list.end); owners != 0; owners &= owners - 1) {
      const int owner = __ffs(static_cast<int>(owners)) - 1;
      Wanted64 of_owner{__shfl_sync(kAllLanes, wanted.lacking, owner), __shfl_sync(kAllLanes, wanted.come, owner)};
      gather_together(edges, __shfl_sync(kAllLanes, begin, owner), __shfl_sync(kAllLanes, list.end, owner), f, of_owner, tally,
                      examined);
      if (lane == owner) wanted = of_owner;
    }
    if (wanted.come != 0) f.take(v, wanted.come);
  }
  examined = warp_sum(examined);
  if (lane == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

/// Scans the pieces of cut lists, a warp each, after the edges of gather_bits_kernel. Looks up other warps' finds every
/// kPullLimit edges.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    gather_rest_kernel(Rows rows, View view, OrderFor<View> order, F f, unsigned long long* total) {
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < rows.own.chunks; i = order.next(i)) {
    const WorkItem work = rows.hub_item(rows.own.first_chunk + order.piece(i, rows.own.chunks));
    EdgeId begin = max(work.begin, rows.offsets[work.vertex] + kPullLimit);
    for (; begin < work.end; begin += kPullLimit) {
      // One lane looks for all: the word may change while they do.
      Wanted64 wanted{__shfl_sync(kAllLanes, f.lacking(work.vertex), 0)};
      if (!wanted.goes_on()) break;
      gather_together(edges, begin, min(begin + kPullLimit, work.end), f, wanted, tally, examined);
      if (lane == 0 && wanted.come != 0) f.take(work.vertex, wanted.come);
      __syncwarp();
    }
  }
  examined = warp_sum(examined);
  if (lane == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

}  // namespace graphrun::cuda::inline GR_IDS
