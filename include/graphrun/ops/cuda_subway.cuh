// SPDX-License-Identifier: Apache-2.0
// The functions that subway_operators.hpp needs, on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "graphrun/core/timer.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "graphrun/ops/cuda_subgraphs.hpp"
#include "graphrun/ops/subway_operators.hpp"

namespace graphrun::cuda::inline GR_IDS {

// Sources of a plan's rows: item(i) for i in [0, count), left out where there is none.

struct QueueItems {
  Rows rows;
  const QueueItem* items;
  std::uint64_t count;
  __device__ WorkItem item(std::uint64_t i) const { return rows.piece(items[i].vertex, items[i].piece); }
};

/// Whole lists in the order of vertices, and after them the pieces of cut ones, in parts.
template <class Trim>
__device__ WorkItem trimmed_item(const Rows& rows, const Trim& trim, std::uint64_t i) {
  if (i >= rows.num_vertices) return trim(rows.hub_item(i - rows.num_vertices));
  const WorkItem list{static_cast<VertexId>(i), rows.offsets[i], rows.offsets[i + 1]};
  return rows.is_cut(list.end - list.begin) ? subway::left_out(list.vertex) : trim(list);
}

/// The items of this GPU.
template <class Trim>
struct ListItems {
  Rows rows;
  Trim trim;
  std::uint64_t count;
  __device__ WorkItem item(std::uint64_t i) const {
    const std::uint64_t lists = rows.own_vertices();
    return trimmed_item(rows, trim,
                        i < lists ? rows.own.first_vertex() + i : rows.num_vertices + rows.own.first_chunk + (i - lists));
  }
};

/// The same in the order of the edge list.
struct EverythingInOrder {
  Rows rows;
  std::uint64_t count;
  __device__ WorkItem item(std::uint64_t i) const {
    const std::uint64_t before = rows.own.first_vertex() + rows.own.first_chunk;
    return trimmed_item(rows, subway::Everything{}, in_edge_order<1>(rows, rows.num_vertices, before + i));
  }
};

inline std::uint64_t num_own_items(const Rows& rows) { return rows.own_vertices() + rows.own.chunks; }

/// A row's contribution to a plan.
template <class Items>
__device__ PlanTile plan_of(const Items& items, std::uint64_t i, WorkItem& item) {
  item = i < items.count ? items.item(i) : subway::left_out(0);
  return subway::is_left_out(item) ? PlanTile{0, 0} : PlanTile{1, item.end - item.begin};
}

/// Counts rows and edges of each tile.
template <class Items>
__global__ void __launch_bounds__(kBlockThreads) measure_tiles_kernel(Items items, PlanTile* tiles) {
  using Reduce = cub::BlockReduce<PlanTile, kBlockThreads>;
  __shared__ typename Reduce::TempStorage storage;
  for (std::uint64_t tile = blockIdx.x; tile * kPlanTile < items.count; tile += gridDim.x) {
    PlanTile mine{0, 0};
    for (std::uint64_t k = threadIdx.x; k < kPlanTile; k += kBlockThreads) {
      WorkItem item;
      mine = AddTiles{}(mine, plan_of(items, tile * kPlanTile + k, item));
    }
    const PlanTile all = Reduce(storage).Reduce(mine, AddTiles{});
    if (threadIdx.x == 0) tiles[tile] = all;
    __syncthreads();
  }
}

/// Writes the rows, in the order of the items. `plan.tiles` says where each tile's rows begin.
template <class Items>
__global__ void __launch_bounds__(kBlockThreads) write_rows_kernel(Items items, PlanRef plan) {
  using Scan = cub::BlockScan<PlanTile, kBlockThreads>;
  __shared__ typename Scan::TempStorage storage;
  for (std::uint64_t tile = blockIdx.x; tile * kPlanTile < items.count; tile += gridDim.x) {
    PlanTile before = plan.tiles[tile];
    for (std::uint64_t base = tile * kPlanTile; base < (tile + 1) * kPlanTile; base += kBlockThreads) {
      WorkItem item;
      const PlanTile mine = plan_of(items, base + threadIdx.x, item);
      PlanTile place, all;
      Scan(storage).ExclusiveScan(mine, place, PlanTile{0, 0}, AddTiles{}, all);
      if (mine.rows != 0) {
        place = AddTiles{}(before, place);
        plan.vertices[place.rows] = item.vertex;
        plan.sources[place.rows] = item.begin;
        plan.places[place.rows] = place.edges;
      }
      before = AddTiles{}(before, all);
      __syncthreads();
    }
    const bool last = (tile + 1) * kPlanTile >= items.count;
    if (last && threadIdx.x == 0) plan.places[before.rows] = before.edges;
  }
}

/// Calls f(f.source(v), u, w) for the edges of the rows, or of rows of active vertices.
template <class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<DirectView>::kLeastBlocks)
    spread_kernel(SubgraphRows rows, DirectView view, Groups groups, F f, Marks marks, bool only_active, RoundCounts* round) {
  using Weight = typename F::Weight;
  const int lane = lane_id();
  EdgeReader<DirectView> edges(view);
  unsigned long long examined = 0;
  bool again = false;
  for (std::uint64_t group = warp_id(); group < groups.size(); group += warp_count()) {
    const std::uint64_t row = groups.item(group);
    WorkItem work = row < groups.count ? rows.item(row) : WorkItem{0, 0, 0};
    if (only_active && !BitmapRef{marks.active}.test(work.vertex)) work.end = work.begin;
    examined += work.end - work.begin;
    const auto mine = source_of(f, work);
    walk_lists<Weight>(edges, work.begin, work.end, [&](int owner, VertexId u, Weight w, bool active) {
      const auto source = __shfl_sync(kAllLanes, mine, owner);
      if (active && f(source, u, w)) again |= marks.mark(u);
    });
  }
  if (marks.loaded == nullptr) return;
  examined = warp_sum(examined);
  if (lane == 0 && examined != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&round->examined), examined);
  if (__any_sync(kAllLanes, again) && lane == 0) *const_cast<volatile bool*>(&round->again) = true;
}

template <class F>
__global__ void prepare_rows_kernel(Rows rows, SubgraphRows part, F f, Marks marks, bool only_active) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < part.count; i += stride) {
    const VertexId v = part.vertices[i];
    if (!part.begins_list(rows, i)) continue;
    if (only_active && !BitmapRef{marks.active}.test(v)) continue;
    if (!only_active) {
      Marks::clear(marks.next, v);
      if (part.holds_list(rows, i)) Marks::set(marks.loaded, v);
    }
    if constexpr (Declares<F, can::Prepare>) f.prepare(v);
  }
}

/// Brings the sum of one piece, which one lane has; with the last one of a list its vertex is finished.
template <class F>
__device__ double finish_piece(const Rows& rows, VertexId v, EdgeId begin, double sum, const F& f, const PieceSums& pieces) {
  const std::uint64_t piece = rows.hub_index(v, begin);
  const PiecesOfList list(rows, v, piece, begin);
  if (!pieces.bring(list, piece, sum)) return 0;
  double whole = 0;
  for (unsigned k = 0; k < list.count; ++k) whole += atomics::load(pieces.sums[list.first + k]);
  return f.finish(v, static_cast<typename F::Value>(whole));
}

/// Rows that a warp takes at a time in a sweep. A warp with 32 pieces of a hub finishes it long after others have used its old
/// value: PageRank on an H200 with 32, 4, 2 and 1 takes 14, 11, 9 and 7 sweeps and 1143, 905, 754 and 615 ms on a Kronecker graph
/// of scale 25. On a web-like one of scale 23, with shorter lists, it takes 282, 241, 253 and 306 ms.
inline constexpr unsigned kSweepRows = 2;

template <class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<DirectView>::kLeastSweepBlocks)
    reduce_rows_kernel(Rows rows, SubgraphRows part, DirectView view, Groups groups, InOrder order, F f, PieceSums pieces,
                       double* total) {
  EdgeReader<DirectView> edges(view);
  double changed = 0;
  for (std::uint64_t i = order.first(); i < groups.size(); i = order.next(i)) {
    const std::uint64_t row = groups.item(order.piece(i, groups.size()));
    const WorkItem work = row < groups.count ? part.item(row) : WorkItem{0, 0, 0};
    const double sum = reduce_lists(edges, work.begin, work.end, PrefixPart{}, f);
    if (row >= groups.count) continue;
    changed += rows.is_cut(rows.degree(work.vertex)) ? finish_piece(rows, work.vertex, part.sources[row], sum, f, pieces)
                                                     : f.finish(work.vertex, static_cast<typename F::Value>(sum));
  }
  changed = warp_sum(changed);
  if (lane_id() == 0 && changed != 0) atomicAdd(total, changed);
}

/// Makes a plan. `key` names a plan that is kept until another one is made; null for none.
template <class Items>
void make_plan(CudaExecutor& exec, CudaSubgraphs& maker, const Items& items, const void* key = nullptr) {
  const Timer planning;
  const PlanRef plan = maker.start_plan();
  const std::uint64_t tiles = plan_tiles(items.count);
  if (tiles != 0) launch(exec, threads(tiles * kBlockThreads), measure_tiles_kernel<Items>, items, plan.tiles);
  maker.scan_tiles(tiles);
  if (tiles != 0) launch(exec, threads(tiles * kBlockThreads), write_rows_kernel<Items>, items, plan);
  maker.end_plan(tiles, key, planning.elapsed_ms());
}

template <class Trim>
ListItems<Trim> lists(const Rows& rows, const Trim& trim) {
  return {rows, trim, num_own_items(rows)};
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Plans a large frontier in exact order, so that neighbours in the graph are gathered together, and a small one as its queue is.
void plan_frontier(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows, CudaFrontier& frontier);
void plan_everything(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows);

template <class Trim>
void plan_pass(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows, const Trim& trim) {
  cuda::make_plan(exec, maker, cuda::lists(rows, trim));
}

template <class Trim>
void plan_sums(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows, const Trim& trim) {
  plan_pass(exec, maker, rows, trim);
}

inline void begin_rounds(CudaExecutor& exec, CudaSubgraphs& maker, const Marks& marks) {
  fill(exec, maker.loaded(), 0u);
  fill(exec, maker.again(marks), 0u);
}
inline void begin_round(CudaExecutor& exec, CudaSubgraphs& maker, const Subgraph&, const Marks& marks) {
  fill(exec, maker.again(marks), 0u);
}
inline void end_rounds(CudaExecutor&, CudaSubgraphs&, const Subgraph&) {}
inline void finish_marks(CudaExecutor& exec, CudaFrontier& next) { next.count_members(exec); }

template <class F>
void prepare_rows(CudaExecutor& exec, const Rows& rows, const Subgraph& part, const F& f, const Marks& marks, subway::Who who) {
  const bool only_active = who == subway::Who::active;
  if (part.rows.count == 0 || (only_active && !Declares<F, can::Prepare>)) return;
  cuda::launch(exec, cuda::threads(part.rows.count), cuda::prepare_rows_kernel<F>, rows, part.rows, f, marks, only_active);
}

template <class F>
void spread_rows(CudaExecutor& exec, CudaSubgraphs& maker, const Subgraph& part, const F& f, const Marks& marks, subway::Who who,
                 CudaFrontier*) {
  if (part.rows.count == 0) return;
  const cuda::Groups groups = cuda::groups_of(exec, part.rows.count);
  cuda::launch(exec, cuda::warps(groups), cuda::spread_kernel<F>, part.rows, part.edges, groups, f, marks,
               who == subway::Who::active, maker.round());
}

template <class F>
void reduce_rows(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows, const Subgraph& part, const F& f) {
  if (part.rows.count == 0) return;
  const cuda::PieceSums pieces{exec.piece_sums(rows.num_hub_chunks), exec.piece_counts(rows.num_hub_chunks)};
  cuda::Groups groups = cuda::groups_of(exec, part.rows.count);
  groups.each = std::min(groups.each, cuda::kSweepRows);
  cuda::launch(exec, cuda::warps(groups), cuda::reduce_rows_kernel<F>, rows, part.rows, part.edges, groups,
               cuda::in_order<DirectView>(exec), f, pieces, maker.sum());
}

inline double take_sum(CudaExecutor&, CudaSubgraphs& maker) { return maker.take_sum(); }

}  // namespace graphrun::inline GR_IDS
