// edge_map_ordered on a GPU. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_ordered_queue.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr unsigned long long kNoBucket = ~0ull;
inline constexpr std::uint64_t kFewVertices = 1 << 16;  // below, the GPU is idle anyway and wider buckets cost nothing

/// Appends v to the far pile for each lane with `joins`; all lanes call it together.
__device__ inline void append_far(VertexId* far, Counters* counters, bool joins, VertexId v) {
  const unsigned joining = __ballot_sync(kAllLanes, joins);
  if (joining == 0) return;
  unsigned long long base = 0;
  if (lane_id() == 0) base = atomicAdd(&counters->deferred, static_cast<unsigned long long>(__popc(joining)));
  base = __shfl_sync(kAllLanes, base, 0);
  if (joins) far[base + __popc(joining & ((1u << lane_id()) - 1))] = v;
}

/// Sends v to the near queue or the far pile by its bucket. `lowest` follows the lowest far bucket this lane has seen.
template <class F>
__device__ void place_vertex(const OrderedRef& queue, const Rows& rows, const F& f, std::uint64_t current, bool improved,
                             VertexId v, unsigned long long& lowest) {
  const std::uint64_t bucket = improved ? f.bucket(v) : 0;
  const bool near = improved && bucket <= current && atomics::exchange(queue.stamps[v], queue.round) != queue.round;
  append_vertex(queue.near, rows, near, v);
  const bool far = improved && bucket > current;
  bool enters = false;
  if (far) {
    lowest = min(lowest, static_cast<unsigned long long>(bucket));
    const std::uint32_t bit = 1u << (v % 32);
    enters = (atomics::fetch_or(queue.in_far[v / 32], bit) & bit) == 0;
  }
  append_far(queue.far, queue.near.counters, enters, v);
}

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    relax_kernel(Rows rows, View view, const QueueItem* items, Groups groups, OrderFor<View> order, F f, std::uint64_t current,
                 OrderedRef queue) {
  using Weight = typename F::Weight;
  const int lane = lane_id();
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long lowest = kNoBucket, examined = 0;
  for (std::uint64_t i = order.first(); i < groups.size(); i = order.next(i)) {
    const std::uint64_t at = groups.item(order.piece(i, groups.size()));
    const WorkItem work = at < groups.count ? rows.piece(items[at].vertex, items[at].piece) : WorkItem{0, 0, 0};
    const auto mine = source_of(f, work);
    examined += work.end - work.begin;
    walk_lists<Weight>(edges, work.begin, work.end, tally, [&](int owner, VertexId v, Weight w, bool active) {
      const auto source = __shfl_sync(kAllLanes, mine, owner);
      const bool improved = active && f(source, v, w);
      if (__any_sync(kAllLanes, improved)) place_vertex(queue, rows, f, current, improved, v, lowest);
    });
  }
  lowest = warp_min(lowest);
  examined = warp_sum(examined);
  if (lane == 0) {
    if (lowest != kNoBucket) atomicMin(&queue.near.counters->lowest, lowest);
    if (examined != 0) atomicAdd(&queue.near.counters->examined, examined);
  }
  tally.flush(view.traffic);
}

/// Deals the far pile out anew: what was settled meanwhile is dropped, what is due goes near, the rest stays far.
template <class F>
__global__ void split_kernel(Rows rows, const VertexId* far, std::uint64_t count, F f, std::uint64_t settled,
                             std::uint64_t current, OrderedRef queue) {
  const std::uint64_t groups = (count + 31) / 32;
  unsigned long long lowest = kNoBucket;
  for (std::uint64_t group = warp_id(); group < groups; group += warp_count()) {
    const std::uint64_t i = group * 32 + lane_id();
    const VertexId v = i < count ? far[i] : 0;
    const bool waits = i < count && f.bucket(v) > settled;
    if (i < count) atomicAnd(&queue.in_far[v / 32], ~(1u << (v % 32)));
    place_vertex(queue, rows, f, current, waits, v, lowest);
  }
  lowest = warp_min(lowest);
  if (lane_id() == 0 && lowest != kNoBucket) atomicMin(&queue.near.counters->lowest, lowest);
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
EdgeMapStats edge_map_ordered(CudaExecutor& exec, const Rows& rows, const View& edges, CudaOrderedQueue& queue, VertexId source,
                              F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_ordered(exec, rows, edges.as_array(), queue, source, f);
  }
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "round");
  exec.fill_words(queue.in_far.data(), 0, queue.in_far.size());
  queue.near.clear();
  queue.near.insert(exec, source);
  std::uint64_t current = 0;  // buckets up to here are near
  std::uint64_t width = 1;    // how many buckets to open next time
  std::uint64_t far_count = 0;
  unsigned long long lowest = cuda::kNoBucket;
  const auto begin_round = [&] {
    const cuda::QueueRef near = queue.next.start_queue(exec);
    const unsigned long long start[] = {far_count, lowest};  // Counters::deferred, Counters::lowest
    exec.set_counters(&near.counters->deferred, start, sizeof(start));
    return cuda::OrderedRef{near, queue.far.data(), queue.in_far.data(), queue.stamps.data(), ++queue.round};
  };
  const auto end_round = [&] {
    const cuda::Counters counts = queue.next.take_counts(exec);
    far_count = counts.deferred;
    lowest = counts.lowest;
    stats.edges += counts.examined;
    progress.end_round(counts.examined);
    std::swap(queue.near, queue.next);
  };

  while (true) {
    std::uint64_t processed = 0;
    while (queue.near.items() != 0) {
      const bool sorted = cuda::worth_sorting(edges, queue.near);
      if (sorted) queue.near.sort_queue(exec);
      const cuda::Groups groups = cuda::groups_of(exec, queue.near.items());
      processed += groups.count;
      const cuda::OrderedRef next = begin_round();
      cuda::launch(exec, cuda::warps(groups), cuda::relax_kernel<View, F>, rows, edges, queue.near.queue(exec), groups,
                   cuda::next_order<View>(exec, !sorted), f, current, next);
      end_round();
      ++stats.steps;
    }
    if (far_count == 0) break;
    width = processed + far_count < cuda::kFewVertices ? std::min<std::uint64_t>(width * 2, 1 << 10)
                                                       : std::max<std::uint64_t>(width / 2, 1);
    const std::uint64_t settled = current;
    current = std::max<std::uint64_t>(lowest, settled + 1) + width - 1;
    std::swap(queue.far, queue.far_next);
    const std::uint64_t count = std::exchange(far_count, 0);
    lowest = cuda::kNoBucket;
    const cuda::OrderedRef next = begin_round();
    cuda::launch(exec, cuda::threads(count), cuda::split_kernel<F>, rows, queue.far_next.data(), count, f, settled, current,
                 next);
    end_round();
  }
  return stats;
}

}  // namespace graphrun::inline GR_IDS
