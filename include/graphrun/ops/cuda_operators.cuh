// The operators on a GPU, for views that its loads can reach. Contract: operators.hpp.
#pragma once

#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

namespace cuda {

inline constexpr EdgeId kPullLimit = 512;  // edges a warp scans for one vertex before it leaves the rest to others

template <class F>
__global__ void map_kernel(std::size_t n, F f) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) f(i);
}

template <class T>
__device__ void add_to(T* total, T value) {
  if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(total, value);
  }
}

template <class T, class F>
__global__ void sum_kernel(std::size_t n, F f, T* total) {
  T sum{};
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    sum += f(i);
  sum = warp_sum(sum);
  if (lane_id() == 0) add_to(total, sum);
}

template <class F>
__global__ void frontier_map_kernel(const QueueItem* items, std::uint64_t count, F f) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    if (items[i].piece == 0) f(items[i].vertex);
  }
}

template <class F>
struct Prepare {
  F f;
  __device__ void operator()(VertexId v) const { f.prepare(v); }
};

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    push_kernel(Rows rows, View view, const QueueItem* items, std::uint64_t count, int per_warp, OrderFor<View> order, F f,
                QueueRef next) {
  using Weight = typename F::Weight;
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long joined = 0, joined_edges = 0;
  const std::uint64_t groups = (count + per_warp - 1) / per_warp;
  for (std::uint64_t i = order.first(); i < groups; i = order.next(i)) {
    const std::uint64_t base = order.piece(i, groups) * per_warp;
    const bool owns = lane < per_warp && base + lane < count;
    const QueueItem item = owns ? items[base + lane] : QueueItem{0, 0};
    const WorkItem work = owns ? rows.piece(item.vertex, item.piece) : WorkItem{0, 0, 0};
    const auto mine = owns ? f.source(work.vertex) : decltype(f.source(work.vertex)){};
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
/// right one, and the bit decides who counts it.
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

/// Warps of vertices with whole lists in a pass over all lists; the tasks after these are pieces of cut lists.
__host__ __device__ inline std::uint64_t whole_tasks(const Rows& rows) { return (std::uint64_t{rows.num_vertices} + 31) / 32; }

/// The work of one warp: 32 vertices with whole lists, or a piece of a cut list in lane 0. Hubs come last, so that in a
/// sweep that uses new values at once they see those of all others: on a graph whose edges nearly all have a hub at one
/// end that halves the number of sweeps.
__device__ inline WorkItem item_of_task(const Rows& rows, std::uint64_t task) {
  const int lane = lane_id();
  const std::uint64_t whole = whole_tasks(rows);
  if (task >= whole) return lane == 0 ? rows.hub_item(task - whole) : WorkItem{0, 0, 0};
  const std::uint64_t v = task * 32 + lane;
  if (v >= rows.num_vertices) return {0, 0, 0};
  const WorkItem item{static_cast<VertexId>(v), rows.offsets[v], rows.offsets[v + 1]};
  return rows.is_cut(item.end - item.begin) ? WorkItem{item.vertex, item.begin, item.begin} : item;
}
inline std::uint64_t num_tasks(const Rows& rows) { return whole_tasks(rows) + rows.num_hub_chunks; }

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    all_kernel(Rows rows, View view, std::uint64_t tasks, OrderFor<View> order, EdgeId skip, F f, unsigned long long* total) {
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < tasks; i = order.next(i)) {
    WorkItem work = item_of_task(rows, order.piece(i, tasks));
    if (work.begin < work.end) {
      const EdgeId from = rows.offsets[work.vertex] + skip;
      if (work.begin < from) work.begin = from < work.end ? from : work.end;
      if (work.begin < work.end && !f.wants(work.vertex)) work.begin = work.end;
    }
    examined += work.end - work.begin;
    walk_lists<NoWeight>(edges, work.begin, work.end, tally, [&](int owner, VertexId u, NoWeight, bool active) {
      const VertexId v = __shfl_sync(kAllLanes, work.vertex, owner);
      if (active) f(v, u);
    });
  }
  examined = warp_sum(examined);
  if (lane_id() == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    leading_kernel(Rows rows, View view, OrderFor<View> order, EdgeId count, F f, unsigned long long* total) {
  const std::uint64_t groups = (std::uint64_t{rows.num_vertices} + 31) / 32;
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long examined = 0;
  for (std::uint64_t i = order.first(); i < groups; i = order.next(i)) {
    const std::uint64_t v = order.piece(i, groups) * 32 + lane_id();
    const bool exists = v < rows.num_vertices;
    const EdgeId begin = exists ? rows.offsets[v] : 0;
    const EdgeId end = exists ? min(begin + count, rows.offsets[v + 1]) : 0;
    edges.template reach<NoWeight>(begin, end);
    // All of them are on their way before the first is used.
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
        if (active[j]) f(static_cast<VertexId>(v), u[j]);
      }
    }
    examined += end - begin;
    tally.add_neighbouring_lists<NoWeight>(begin, end);
  }
  examined = warp_sum(examined);
  if (lane_id() == 0 && examined != 0) atomicAdd(total, examined);
  tally.flush(view.traffic);
}

/// Sum of f.value over each lane's list; all lanes get theirs back. `sums` is 32 values of shared memory of this warp.
/// Added in 64 bits: a million 32-bit terms added one by one lose a hundredth of their sum.
template <class View, class F>
__device__ double reduce_lists(EdgeReader<View>& edges, EdgeId begin, EdgeId end, const F& f, Tally& tally, double* sums) {
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
  const unsigned longs = __ballot_sync(kAllLanes, end - begin >= kLongList);
  walk_lists<NoWeight>(edges, begin, end, tally, [&](int owner, VertexId u, NoWeight, bool active) {
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
    for (int d = 1; d < kWarp; d *= 2) {  // segmented scan: owners ascend with the lanes
      const auto below = __shfl_up_sync(kAllLanes, value, d);
      const int below_owner = __shfl_up_sync(kAllLanes, owner, d);
      if (lane >= d && below_owner == owner) value += below;
    }
    const int above_owner = __shfl_down_sync(kAllLanes, owner, 1);
    if (lane == kWarp - 1 || above_owner != owner) sums[owner] += value;
    __syncwarp();
  });
  close();
  __syncwarp();
  const double mine = sums[lane];
  __syncwarp();
  return mine;
}

/// What the pieces of cut lists leave for each other: a sum each, and at a list's first piece how many are in.
struct PieceRef {
  double* sums;
  unsigned* arrived;  ///< zero between sweeps
};

/// Whole lists are finished at once. A cut list is finished by the warp that brings its last piece, so that later lists of
/// the sweep see its new value; waiting for the end of the sweep would double the number of sweeps on a Kronecker graph.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastSweepBlocks)
    reduce_kernel(Rows rows, View view, std::uint64_t tasks, OrderFor<View> order, F f, PieceRef pieces, double* total) {
  using Value = typename F::Value;
  __shared__ double shared_sums[kBlockThreads];
  double* sums = shared_sums + threadIdx.x / kWarp * kWarp;
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  double changed = 0;
  for (std::uint64_t i = order.first(); i < tasks; i = order.next(i)) {
    const std::uint64_t task = order.piece(i, tasks);
    const WorkItem work = item_of_task(rows, task);
    const double sum = reduce_lists(edges, work.begin, work.end, f, tally, sums);
    if (task < whole_tasks(rows)) {
      if (task * 32 + lane < rows.num_vertices && !rows.is_cut(rows.degree(work.vertex))) {
        changed += f.finish(work.vertex, static_cast<Value>(sum));
      }
      continue;
    }
    const std::uint64_t piece = task - whole_tasks(rows);
    const VertexId v = rows.hub_chunks[piece].vertex;
    const std::uint64_t first = piece - (rows.hub_chunks[piece].begin - rows.offsets[v]) / rows.chunk_edges;
    const auto count = static_cast<unsigned>(rows.pieces(rows.degree(v)));
    unsigned before = 0;
    if (lane == 0) {
      pieces.sums[piece] = sum;
      __threadfence();  // the sum is there before the count says so; pairs with the fence below
      before = atomicAdd(&pieces.arrived[first], 1u);
    }
    if (__shfl_sync(kAllLanes, before, 0) + 1 != count) continue;
    __threadfence();
    double whole = 0;
    for (unsigned k = lane; k < count; k += kWarp) whole += atomics::load(pieces.sums[first + k]);
    whole = warp_sum(whole);
    if (lane == 0) {
      pieces.arrived[first] = 0;
      changed += f.finish(v, static_cast<Value>(whole));
    }
  }
  changed = warp_sum(changed);
  if (lane == 0 && changed != 0) atomicAdd(total, changed);
  tally.flush(view.traffic);
}

/// Views that are an array some day, and then read as one.
template <class View>
concept MayBecomeArray = requires(const View& edges) {
  edges.as_array();
};

/// Order pays where edges come from afar and there are so many items that a pass over a bitmap is nothing beside them.
template <class View>
bool worth_sorting(const View& edges, const CudaFrontier& frontier) {
  return edges.is_far() && frontier.items() >= 4096 && frontier.items() >= frontier.words() / 8;
}

}  // namespace cuda

template <class F>
void vertex_map(CudaExecutor& exec, std::size_t n, F f) {
  if (n != 0) cuda::launch(exec, cuda::threads(n), cuda::map_kernel<F>, n, f);
}

template <class T, class F>
T vertex_sum(CudaExecutor& exec, std::size_t n, F f) {
  auto* total = static_cast<T*>(exec.device_scratch());
  exec.fill_words(total, 0, sizeof(T) / 4);
  if (n != 0) cuda::launch(exec, cuda::threads(n), cuda::sum_kernel<T, F>, n, f, total);
  T* host = static_cast<T*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(T));
  return *host;
}

template <class T>
void fill(CudaExecutor& exec, DeviceArray<T>& array, T value) {
  T* data = array.data();
  vertex_map(exec, array.size(), [data, value] __host__ __device__(std::size_t i) { data[i] = value; });
}

template <class F>
void frontier_map(CudaExecutor& exec, CudaFrontier& frontier, F f) {
  const cuda::QueueItem* items = frontier.queue(exec);
  if (frontier.items() != 0)
    cuda::launch(exec, cuda::threads(frontier.items()), cuda::frontier_map_kernel<F>, items, frontier.items(), f);
}

/// f.prepare(v) for each vertex of a frontier, where f has that.
template <class F>
void prepare_members(CudaExecutor& exec, CudaFrontier& frontier, const F& f) {
  if constexpr (PreparingPush<F, VertexId>) frontier_map(exec, frontier, cuda::Prepare<F>{f});
}

template <WalkableView View>
DirectionCosts direction_costs([[maybe_unused]] const CudaExecutor& exec, const View& edges) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return direction_costs(exec, edges.as_array());
  }
  // Behind a link a pulling vertex costs a request; in device memory, about a sector.
  return edges.is_far() ? DirectionCosts{.push_edge = 1, .pull_edge = 1, .pull_vertex = 16}
                        : DirectionCosts{.push_edge = 1, .pull_edge = 0.5, .pull_vertex = 1};
}

template <WalkableView View, class F>
EdgeMapStats edge_map_push(CudaExecutor& exec, const Rows& rows, const View& edges, CudaFrontier& frontier, F f,
                           CudaFrontier& next) {
  if constexpr (cuda::MayBecomeArray<View>) {
    constexpr std::uint64_t kFewItems = 4096;  // for which asking costs more than it may gain
    if (frontier.items() >= kFewItems && edges.is_array()) return edge_map_push(exec, rows, edges.as_array(), frontier, f, next);
  }
  prepare_members(exec, frontier, f);
  const bool sorted = cuda::worth_sorting(edges, frontier);
  if (sorted) frontier.sort_queue(exec);
  const cuda::QueueItem* items = frontier.queue(exec);
  const std::uint64_t count = frontier.items();
  const auto order = cuda::next_order<View>(exec, !sorted);
  const cuda::QueueRef queue = next.start_queue(exec);
  if (count != 0) {
    const int per_warp = cuda::items_per_warp(exec, count);
    cuda::launch(exec, cuda::warps((count + per_warp - 1) / per_warp), cuda::push_kernel<View, F>, rows, edges, items, count,
                 per_warp, order, f, queue);
  }
  next.take_counts(exec);
  return {frontier.edges(), 1};
}

template <WalkableView View, class F>
EdgeMapStats edge_map_pull(CudaExecutor& exec, const Rows& rows, const View& edges, const Rows& out, F f, CudaFrontier& next) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_pull(exec, rows, edges.as_array(), out, f, next);
  }
  const BitmapRef bits = next.start_bitmap(exec);
  const cuda::QueueRef rest = next.spare_queue();  // free while `next` is a bitmap
  const auto order = cuda::next_order<View>(exec);
  cuda::launch(exec, cuda::warps(next.words()), cuda::pull_kernel<View, F>, rows, edges, out, order, f, bits, next.counters(),
               rest);
  if (rows.num_hub_chunks != 0) {
    cuda::launch(exec, cuda::warps(rows.num_hub_chunks), cuda::pull_rest_kernel<View, F>, rows, edges, out,
                 cuda::next_order<View>(exec, true), f, bits, next.counters(), rest);
  }
  return {next.take_counts(exec).examined, 1};
}

template <WalkableView View, class F>
EdgeMapStats edge_map_all(CudaExecutor& exec, const Rows& rows, const View& edges, EdgeId skip, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_all(exec, rows, edges.as_array(), skip, f);
  }
  auto* total = static_cast<unsigned long long*>(exec.device_scratch());
  exec.fill_words(total, 0, 2);
  const std::uint64_t tasks = cuda::num_tasks(rows);
  cuda::launch(exec, cuda::warps(tasks), cuda::all_kernel<View, F>, rows, edges, tasks, cuda::next_order<View>(exec), skip, f,
               total);
  auto* host = static_cast<unsigned long long*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(*host));
  return {*host, 1};
}

template <WalkableView View, class F>
EdgeMapStats edge_map_leading(CudaExecutor& exec, const Rows& rows, const View& edges, EdgeId count, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_leading(exec, rows, edges.as_array(), count, f);
  }
  auto* total = static_cast<unsigned long long*>(exec.device_scratch());
  exec.fill_words(total, 0, 2);
  cuda::launch(exec, cuda::threads(rows.num_vertices), cuda::leading_kernel<View, F>, rows, edges, cuda::next_order<View>(exec),
               count, f, total);
  auto* host = static_cast<unsigned long long*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(*host));
  return {*host, 1};
}

template <WalkableView View, class F>
double edge_reduce_pull(CudaExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_reduce_pull(exec, rows, edges.as_array(), f);
  }
  auto* total = static_cast<double*>(exec.device_scratch());
  exec.fill_words(total, 0, 2);
  const cuda::PieceRef pieces{exec.piece_sums(rows.num_hub_chunks), exec.piece_counts(rows.num_hub_chunks)};
  const std::uint64_t tasks = cuda::num_tasks(rows);
  cuda::launch(exec, cuda::warps(tasks), cuda::reduce_kernel<View, F>, rows, edges, tasks, cuda::next_order<View>(exec), f,
               pieces, total);
  auto* host = static_cast<double*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(double));
  return *host;
}

}  // namespace graphrun
