// SPDX-License-Identifier: Apache-2.0
// Kernels of passes over the lists of all vertices.
#pragma once

#include <cstdint>
#include <cub/warp/warp_reduce.cuh>

#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Returns the warps of vertices with whole lists in a pass over all lists; the tasks after these are pieces of cut lists.
__host__ __device__ inline std::uint64_t whole_tasks(const Rows& rows) { return (std::uint64_t{rows.num_vertices} + 31) / 32; }

/// Returns the work of one warp: 32 vertices with whole lists, or a piece of a cut list in lane 0.
__device__ inline WorkItem item_of_task(const Rows& rows, std::uint64_t task) {
  const int lane = lane_id();
  const std::uint64_t whole = whole_tasks(rows);
  if (task >= whole) return lane == 0 ? rows.hub_item(task - whole) : WorkItem{0, 0, 0};
  const std::uint64_t v = task * 32 + lane;
  if (v >= rows.num_vertices) return {0, 0, 0};
  const WorkItem item{static_cast<VertexId>(v), rows.offsets[v], rows.offsets[v + 1]};
  return rows.is_cut(item.end - item.begin) ? WorkItem{item.vertex, item.begin, item.begin} : item;
}

/// Returns the i-th task in the order of the edge list: `groups` groups of kGroup vertices, each followed by the pieces of its
/// cut lists. With all hubs at the end, a cache that loses pages would read pages of long and short lists twice, and a sweep that
/// uses new values at once would take 24 sweeps instead of 8 (PageRank, Kronecker graph of scale 25).
template <unsigned kGroup>
__device__ std::uint64_t in_edge_order(const Rows& rows, std::uint64_t groups, std::uint64_t i) {
  const auto place = [&](std::uint64_t chunk) { return chunk + rows.hub_chunks[chunk].vertex / kGroup + 1; };
  std::uint64_t before = 0;  // pieces whose place is before i
  for (std::uint64_t count = rows.num_hub_chunks; count > 0;) {
    const std::uint64_t half = count / 2;
    const bool below = place(before + half) < i;
    before = below ? before + half + 1 : before;
    count = below ? count - half - 1 : half;
  }
  return before < rows.num_hub_chunks && place(before) == i ? groups + before : i - before;
}

/// Returns this GPU's i-th task.
__device__ inline std::uint64_t choose_task(const Rows& rows, const InOrder& order, std::uint64_t i) {
  const std::uint64_t before = rows.own.first_group + rows.own.first_chunk;
  return in_edge_order<kWarp>(rows, whole_tasks(rows), before + order.piece(i, rows.own.tasks()));
}

/// The work of a warp at a time: a task, or without tickets several pieces of cut lists, if there are some for each warp. Most
/// are of hubs that a pass does not want.
struct Rounds {
  Groups pieces;
  std::uint64_t count;

  __device__ Rounds(const Rows& rows, const Strided&)
      : Rounds(rows, static_cast<unsigned>(std::clamp<std::uint64_t>(rows.own.chunks / (4 * warp_count()), 1, kWarp))) {}
  __device__ Rounds(const Rows& rows, const InOrder&) : Rounds(rows, 1u) {}

  __device__ WorkItem item(const Rows& rows, const InOrder& order, std::uint64_t i) const {
    return item_of_task(rows, choose_task(rows, order, i));
  }
  __device__ WorkItem item(const Rows& rows, const Strided&, std::uint64_t i) const {
    if (i < rows.own.groups) return item_of_task(rows, rows.own.first_group + i);
    const auto lane = static_cast<unsigned>(lane_id());
    const std::uint64_t piece = i - rows.own.groups + lane * pieces.size();  // not neighbours, which may all be wanted
    return lane < pieces.each && piece < pieces.count ? rows.hub_item(rows.own.first_chunk + piece) : WorkItem{0, 0, 0};
  }

 private:
  __device__ Rounds(const Rows& rows, unsigned each) : pieces{rows.own.chunks, each}, count(rows.own.groups + pieces.size()) {}
};

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastPassBlocks)
    all_kernel(Rows rows, View view, OrderFor<View> order, EdgeId skip, F f, unsigned long long* total) {
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  const Rounds rounds(rows, order);
  for (std::uint64_t i = order.first(); i < rounds.count; i = order.next(i)) {
    WorkItem work = rounds.item(rows, order, i);
    const bool wanted = f.wants(work.vertex);  // also where there is no list: its load is under way with the offsets' loads
    const EdgeId from = rows.offsets[work.vertex] + skip;
    work.begin = wanted ? min(max(work.begin, from), work.end) : work.end;
    if (!__any_sync(kAllLanes, work.begin < work.end)) continue;
    examined += work.end - work.begin;
    open_lists(edges, work);
    PrefixPart head = split_at_prefix<NoWeight>(edges, rows, work);
    tally.add_cached(head.count);
    tally.add_walk<NoWeight>(edges.access(), work.begin, work.end);
    do {
      walk_lists<NoWeight>(edges, work.begin, work.end, [&](int owner, VertexId u, NoWeight, bool active) {
        const VertexId v = __shfl_sync(kAllLanes, work.vertex, owner);
        if (active) f(v, u);
      });
    } while (head.take(work.begin, work.end));
  }
  examined = warp_sum(examined);
  if (lane_id() == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

/// Calls f(v, u) for the few edges of each lane's item; loads all before it uses the first.
template <class View, class F>
__device__ void read_leading(EdgeReader<View>& edges, const Rows& rows, const WorkItem& item, const F& f, Tally& tally) {
  EdgeId begin = item.begin;
  EdgeId end = item.end;
  WorkItem behind = item;
  const PrefixPart head = split_at_prefix<NoWeight>(edges, rows, behind);
  const bool is_near = head.count != 0 && behind.begin == end;  // all of it
  if (is_near) {
    tally.add_cached(head.count);
    begin = head.begin;
    end = begin + head.count;
  }
  tally.add_neighbouring_lists<NoWeight>(is_near ? end : begin, end);
  edges.template reach<NoWeight>(begin, end);
  for (EdgeId e = begin; __any_sync(kAllLanes, e < end); e += kInFlight) {
    EdgeId place[kInFlight];
    bool active[kInFlight];
    VertexId u[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      place[j] = e + j;
      active[j] = e + j < end;
    }
    edges.neighbours(place, active, u);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (active[j]) f(item.vertex, u[j]);
    }
  }
}

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    leading_kernel(Rows rows, View view, OrderFor<View> order, EdgeId count, F f, unsigned long long* total) {
  const std::uint64_t groups = rows.own.groups;
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < groups; i = order.next(i)) {
    const std::uint64_t v = (rows.own.first_group + order.piece(i, groups)) * 32 + lane_id();
    const bool exists = v < rows.num_vertices;
    const EdgeId begin = exists ? rows.offsets[v] : 0;
    const EdgeId end = exists ? min(begin + count, rows.offsets[v + 1]) : 0;
    examined += end - begin;
    const WorkItem item{static_cast<VertexId>(v), begin, end};
    open_lists(edges, item);
    if constexpr (ReadsLists<View>) {
      walk_lists<NoWeight>(edges, begin, end, [&](int owner, VertexId u, NoWeight, bool active) {
        const VertexId of = __shfl_sync(kAllLanes, item.vertex, owner);
        if (active) f(of, u);
      });
    } else {
      read_leading(edges, rows, item, f, tally);
    }
  }
  examined = warp_sum(examined);
  if (lane_id() == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

/// Returns the sum of f.value over each lane's edges [begin, end) and its cached prefix; all lanes get their own. Adds in 64
/// bits: a million 32-bit terms added one by one lose a hundredth of their sum.
template <class View, class F>
__device__ double reduce_lists(EdgeReader<View>& edges, EdgeId begin, EdgeId end, PrefixPart head, const F& f) {
  __shared__ double sums_of_block[kBlockThreads];
  double* sums = sums_of_block + threadIdx.x / kWarp * kWarp;  // of this warp's lanes
  const int lane = lane_id();
  sums[lane] = 0;
  __syncwarp();
  double running = 0;  // of the long list the warp is in
  int running_owner = -1;
  const auto close = [&] {
    if (running_owner < 0) return;
    const double sum = warp_sum(running);
    if (lane == 0) sums[running_owner] += sum;
    __syncwarp();
    running = 0;
    running_owner = -1;
  };
  unsigned longs = 0;
  const auto add = [&](int owner, VertexId u, NoWeight, bool active) {
    auto value = active ? f.value(u) : typename F::Value{};
    if (edges.access() == Access::naive) {
      sums[lane] += value;
      return;
    }
    const int first_owner = __shfl_sync(kAllLanes, owner, 0);
    if (longs >> first_owner & 1u) {  // the whole warp is in one long list
      if (running_owner != first_owner) close(), running_owner = first_owner;
      running += value;
      return;
    }
    close();
    // Owners ascend with the lanes.
    const int below_owner = __shfl_up_sync(kAllLanes, owner, 1);
    const int above_owner = __shfl_down_sync(kAllLanes, owner, 1);
    using Reduce = cub::WarpReduce<decltype(value)>;
    typename Reduce::TempStorage none;
    value = Reduce(none).TailSegmentedSum(value, lane == kWarp - 1 || above_owner != owner);
    if (lane == 0 || below_owner != owner) sums[owner] += value;
    __syncwarp();
  };
  do {
    longs = __ballot_sync(kAllLanes, end - begin >= kLongListOf<View>);
    walk_lists<NoWeight>(edges, begin, end, add);
    close();
  } while (head.take(begin, end));
  __syncwarp();
  const double mine = sums[lane];
  __syncwarp();
  return mine;
}

/// The pieces of a cut list, among all pieces.
struct PiecesOfList {
  std::uint64_t first;
  unsigned count;

  /// Finds the pieces of v's list, where piece `piece` begins with edge `begin`.
  __device__ PiecesOfList(const Rows& rows, VertexId v, std::uint64_t piece, EdgeId begin)
      : first(piece - (begin - rows.offsets[v]) / rows.chunk_edges), count(static_cast<unsigned>(rows.pieces(rows.degree(v)))) {}
};

/// Sums of the pieces of cut lists, and at a list's first piece how many are in.
struct PieceSums {
  double* sums;
  unsigned* arrived;  ///< zero between sweeps

  /// Leaves the sum of one piece. Returns true for the list's last piece: then all sums can be read here.
  __device__ bool bring(const PiecesOfList& list, std::uint64_t piece, double sum) const {
    sums[piece] = sum;
    __threadfence();  // the sum is there before the count says so; pairs with the fence below
    if (atomicAdd(&arrived[list.first], 1u) + 1 != list.count) return false;
    __threadfence();
    arrived[list.first] = 0;
    return true;
  }
};

/// Finishes whole lists at once. The warp that brings a cut list's last piece finishes it, so that later lists of the sweep see
/// its new value; waiting for the end of the sweep would double the number of sweeps on a Kronecker graph.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastSweepBlocks)
    reduce_kernel(Rows rows, View view, InOrder order, F f, PieceSums pieces, double* total) {
  using Value = typename F::Value;
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  double changed = 0;
  for (std::uint64_t i = order.first(); i < rows.own.tasks(); i = order.next(i)) {
    const std::uint64_t task = choose_task(rows, order, i);
    WorkItem work = item_of_task(rows, task);
    const bool wanted = wants_sum(f, work.vertex);
    if (!wanted) work.begin = work.end;
    if (task >= whole_tasks(rows) && !__shfl_sync(kAllLanes, wanted, 0)) continue;
    open_lists(edges, work);
    const PrefixPart head = split_at_prefix<NoWeight>(edges, rows, work);
    tally.add_cached(head.count);
    tally.add_walk<NoWeight>(edges.access(), work.begin, work.end);
    const double sum = reduce_lists(edges, work.begin, work.end, head, f);
    if (task < whole_tasks(rows)) {
      if (wanted && task * 32 + lane < rows.num_vertices && !rows.is_cut(rows.degree(work.vertex))) {
        changed += f.finish(work.vertex, static_cast<Value>(sum));
      }
      continue;
    }
    const std::uint64_t piece = task - whole_tasks(rows);
    const HubChunk chunk = rows.hub_chunks[piece];
    const auto v = static_cast<VertexId>(chunk.vertex);
    const PiecesOfList list(rows, v, piece, chunk.begin);
    const bool last = lane == 0 && pieces.bring(list, piece, sum);
    if (!__shfl_sync(kAllLanes, last, 0)) continue;
    __syncwarp();  // what lane 0 may read by now, all may
    double whole = 0;
    for (unsigned k = lane; k < list.count; k += kWarp) whole += atomics::load(pieces.sums[list.first + k]);
    whole = warp_sum(whole);
    if (lane == 0) changed += f.finish(v, static_cast<Value>(whole));
  }
  changed = warp_sum(changed);
  if (lane == 0 && changed != 0) atomicAdd(total, changed);
  tally.flush(view.traffic);
}

}  // namespace graphrun::cuda::inline GR_IDS
