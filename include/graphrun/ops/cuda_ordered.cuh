// SPDX-License-Identifier: Apache-2.0
// edge_map_ordered on a GPU. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "graphrun/ops/subgraph.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr std::uint64_t kFewVertices = 1 << 16;  // below, the GPU is idle anyway and wider buckets cost nothing

/// The range of buckets in the near queue.
struct NearBuckets {
  std::uint64_t current = 0;    // all up to this one
  std::uint64_t width = 1;      // of the buckets opened last
  std::uint64_t processed = 0;  // vertices since then, or work items where the host counts

  /// Opens the next buckets, when the near queue is empty. Returns the last that is settled.
  GR_HD std::uint64_t open(std::uint64_t lowest, std::uint64_t far_count) {
    constexpr std::uint64_t kWidest = 1 << 10;
    if (processed + far_count < kFewVertices) {
      width = width * 2 < kWidest ? width * 2 : kWidest;
    } else {
      width = width > 1 ? width / 2 : 1;
    }
    const std::uint64_t settled = current;
    current = (lowest > settled ? lowest : settled + 1) + width - 1;
    processed = 0;
    return settled;
  }
};

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
template <class F, class Appends>
__device__ void place_vertex(const OrderedRef& queue, Appends& appends, const F& f, std::uint64_t current, bool improved,
                             VertexId v, unsigned long long& lowest) {
  const std::uint64_t bucket = improved ? f.bucket(v) : 0;
  const bool near = improved && bucket <= current && atomics::exchange(queue.stamps[v], queue.round) != queue.round;
  appends.append(v, near);
  const bool far = improved && bucket > current;
  bool enters = false;
  if (far) {
    lowest = min(lowest, static_cast<unsigned long long>(bucket));
    const std::uint32_t bit = 1u << (v % 32);
    enters = (atomics::fetch_or(queue.in_far[v / 32], bit) & bit) == 0;
  }
  append_far(queue.far, queue.pile, enters, v);
}

__device__ inline void add_lowest(const OrderedRef& queue, unsigned long long lowest) {
  if (__all_sync(kAllLanes, lowest == kNoBucket)) return;
  lowest = warp_min(lowest);
  if (lane_id() == 0) atomicMin(&queue.pile->lowest, lowest);
}

/// Relaxes the lists of groups of items; all warps of the grid together. Returns how many edges this lane's lists have.
template <class View, class Groups, class Order, class F, class Appends>
__device__ unsigned long long relax_groups(const Rows& rows, const View& view, const QueueItem* items, const Groups& groups,
                                           const Order& order, const F& f, std::uint64_t current, const OrderedRef& queue,
                                           Appends&& appends, Tally& tally) {
  using Weight = typename F::Weight;
  EdgeReader<View> edges(view);
  unsigned long long lowest = kNoBucket, examined = 0;
  for (std::uint64_t i = order.first(); i < groups.size(); i = order.next(i)) {
    const std::uint64_t at = groups.item(order.piece(i, groups.size()));
    const WorkItem work = at < groups.count ? rows.piece(items[at].vertex, items[at].piece) : WorkItem{0, 0, 0};
    const auto mine = source_of(f, work);
    examined += work.end - work.begin;
    tally.add_walk<Weight>(edges.access(), work.begin, work.end);
    walk_lists<Weight>(edges, work.begin, work.end, [&](int owner, VertexId v, Weight w, bool active) {
      const auto source = __shfl_sync(kAllLanes, mine, owner);
      appends.look_up(v, active);
      const bool improved = active && f(source, v, w);
      if (__any_sync(kAllLanes, improved)) place_vertex(queue, appends, f, current, improved, v, lowest);
    });
  }
  add_lowest(queue, lowest);
  appends.finish();
  return examined;
}

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    relax_kernel(Rows rows, View view, const QueueItem* items, Groups groups, OrderFor<View> order, F f, std::uint64_t current,
                 OrderedRef queue) {
  Tally tally;
  const unsigned long long examined =
      warp_sum(relax_groups(rows, view, items, groups, order, f, current, queue, SummedAppends(queue.near, rows), tally));
  if (lane_id() == 0 && examined != 0) atomicAdd(&queue.near.counters->examined, examined);
  tally.flush(view.traffic);
}

/// Splits the far pile again: drops settled vertices, sends due ones to the near queue, and keeps the rest.
template <class F, class Appends>
__device__ void split_pile(const VertexId* far, std::uint64_t count, const F& f, std::uint64_t settled, std::uint64_t current,
                           const OrderedRef& queue, Appends&& appends) {
  const std::uint64_t groups = (count + 31) / 32;
  unsigned long long lowest = kNoBucket;
  for (std::uint64_t group = warp_id(); group < groups; group += warp_count()) {
    const std::uint64_t i = group * 32 + lane_id();
    const VertexId v = i < count ? far[i] : 0;
    const bool waits = i < count && f.bucket(v) > settled;
    if (i < count) atomicAnd(&queue.in_far[v / 32], ~(1u << (v % 32)));
    place_vertex(queue, appends, f, current, waits, v, lowest);
  }
  add_lowest(queue, lowest);
  appends.finish();
}

template <class F>
__global__ void split_kernel(Rows rows, const VertexId* far, std::uint64_t count, F f, std::uint64_t settled,
                             std::uint64_t current, OrderedRef queue) {
  split_pile(far, count, f, settled, current, queue, SummedAppends(queue.near, rows));
}

/// Results of relax_on_kernel.
struct RelaxedOn {
  Counters of_round[kStepsCounted];
  Counters piles[kStepsCounted];  // now, before the last split, and for the next, which is emptied meanwhile
  Counters near;                  // when it stopped
  Counters pile;
  NearBuckets buckets;
  unsigned long long examined;
  std::uint32_t rounds;  ///< in which the near queue was relaxed
  std::uint32_t splits;  ///< of the far pile
};

/// Two queues and two piles, which take turns.
struct OrderedPairs {
  QueueRef near, next;
  VertexId *far, *far_next;
  std::uint32_t* in_far;
  std::uint32_t* stamps;
  std::uint32_t round;
};

/// Makes rounds of edge_map_ordered: relaxes the near queue of `count` items until it is empty, splits the far pile, and so on.
template <class View, class F>
__global__ void __launch_bounds__(kTogetherThreads, 1)
    relax_on_kernel(Rows rows, View view, OrderedPairs queue, std::uint64_t count, EdgeId edges, std::uint64_t far_count,
                    unsigned long long lowest, std::uint64_t small, F f, NearBuckets buckets, RelaxedOn* done) {
  const auto grid = cooperative_groups::this_grid();
  const bool leads = grid.thread_rank() == 0;
  const Counters empty{.lowest = kNoBucket};
  if (leads) {
    done->examined = 0;
    done->of_round[0] = empty;
    done->piles[0] = {.deferred = far_count, .lowest = lowest};
    done->piles[1] = empty;
  }
  grid.sync();
  Tally tally;
  std::uint64_t vertices = count;  // of the near queue, or at first its items
  unsigned long long examined = 0;
  std::uint32_t rounds = 0, splits = 0;
  for (;;) {
    const std::uint32_t round = rounds + splits;
    Counters* const counters = &done->of_round[round % kStepsCounted];
    if (leads) done->of_round[(round + 1) % kStepsCounted] = empty;
    OrderedRef to{{queue.next.items, queue.next.capacity, counters},
                  queue.far,
                  &done->piles[splits % kStepsCounted],
                  queue.in_far,
                  queue.stamps,
                  queue.round + round + 1};
    if (vertices != 0) {
      buckets.processed += vertices;
      examined += relax_groups(rows, view, queue.near.items, SmallGroups(count, edges), Strided{}, f, buckets.current, to,
                               CountedAppends(to.near, rows, edges <= kSmallItems), tally);
      ++rounds;
    } else {
      const std::uint64_t settled = buckets.open(lowest, far_count);
      ++splits;
      to.far = queue.far_next;
      to.pile = &done->piles[splits % kStepsCounted];
      if (leads) done->piles[(splits + 1) % kStepsCounted] = empty;
      split_pile(queue.far, far_count, f, settled, buckets.current, to, CountedAppends(to.near, rows, false));
      queue.far_next = queue.far;
      queue.far = to.far;
    }
    grid.sync();
    const Counters found = read_counters(counters);
    vertices = found.vertices;
    count = found.items;
    edges = found.edges;
    const QueueRef next = queue.near;
    queue.near = queue.next;
    queue.next = next;
    if (vertices == 0) {  // then no round adds to the pile before all threads have read this
      const Counters pile = read_counters(to.pile);
      far_count = pile.deferred;
      lowest = pile.lowest;
    }
    if (!is_small(small, vertices, edges) || found.fault != 0 || (vertices == 0 && far_count == 0) ||
        rounds + splits == kMostSteps) {
      if (leads) {
        done->near = found;
        done->pile = *to.pile;
        done->buckets = buckets;
        done->rounds = rounds;
        done->splits = splits;
      }
      break;
    }
  }
  examined = warp_sum(examined);
  if (lane_id() == 0 && examined != 0) atomicAdd(&done->examined, examined);
  tally.flush(view.traffic);
}

/// Moves the waiting vertices of buckets up to `current` to `near`, all words of it. Counts them and their edges, the vertices
/// that go on waiting (`deferred`), and their lowest bucket. All of several ranks do the same.
template <class F>
__global__ void split_waiting_kernel(Rows rows, BitmapRef waiting, std::uint64_t words, F f, std::uint64_t current,
                                     BitmapRef near, Counters* counters) {
  unsigned long long vertices = 0, edges = 0, waits = 0, lowest = kNoBucket;
  for (std::uint64_t w = warp_id(); w < words; w += warp_count()) {
    const std::uint32_t word = waiting.words[w];
    const auto v = static_cast<VertexId>(w * kWarp + lane_id());
    const bool is_member = (word >> lane_id() & 1u) != 0;
    const std::uint64_t bucket = is_member ? f.bucket(v) : kNoBucket;
    const bool is_near = is_member && bucket <= current;
    if (is_near) ++vertices, edges += rows.degree(v);
    if (is_member && !is_near) ++waits, lowest = min(lowest, static_cast<unsigned long long>(bucket));
    const std::uint32_t moved = __ballot_sync(kAllLanes, is_near);
    if (lane_id() != 0) continue;
    near.words[w] = moved;
    if (moved != 0) waiting.words[w] = word & ~moved;
  }
  vertices = warp_sum(vertices);
  edges = warp_sum(edges);
  waits = warp_sum(waits);
  lowest = warp_min(lowest);
  if (lane_id() != 0) return;
  if (vertices != 0) atomicAdd(&counters->vertices, vertices);
  if (edges != 0) atomicAdd(&counters->edges, edges);
  if (waits == 0) return;
  atomicAdd(&counters->deferred, waits);
  atomicMin(&counters->lowest, lowest);
}

struct AddWords {
  BitmapRef to;
  BitmapRef more;
  __device__ void operator()(std::size_t w) const {
    if (more.words[w] != 0) to.words[w] |= more.words[w];
  }
};

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Makes a round over several ranks: a push from the waiting vertices of the near buckets, and an exchange. Waiting vertices and
/// buckets are the same on all ranks.
template <WalkableView View, class F>
EdgeMapStats edge_map_ordered_by_ranks(CudaExecutor& exec, const Rows& rows, const View& edges, CudaOrderedQueue& queue, F f) {
  const std::uint64_t words = queue.in_far.size();
  const BitmapRef waiting{queue.in_far.data()};
  cuda::NearBuckets buckets;
  exec.fill_words(waiting.words, 0, words);
  return push_in_rounds(exec, rows, edges, queue, f, [&] {
    buckets.processed += queue.near.size();
    vertex_map(exec, words, cuda::AddWords{waiting, queue.next.bitmap(exec)});
    for (;;) {
      const BitmapRef near = queue.near.start_bitmap(exec, {.lowest = kNoBucket});
      cuda::launch(exec, cuda::warps(words), cuda::split_waiting_kernel<F>, rows, waiting, words, f, buckets.current, near,
                   queue.near.counters());
      const cuda::Counters found = queue.near.take_counts(exec);
      if (found.vertices != 0 || found.deferred == 0) return;
      buckets.open(found.lowest, found.deferred);
    }
  });
}

template <WalkableView View, class F>
EdgeMapStats edge_map_ordered(CudaExecutor& exec, const Rows& rows, const View& edges, CudaOrderedQueue& queue, F f) {
  if (!exec.part().is_single_rank()) return edge_map_ordered_by_ranks(exec, rows, edges, queue, f);
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_ordered(exec, rows, edges.as_array(), queue, f);
  }
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "round");
  exec.fill_words(queue.in_far.data(), 0, queue.in_far.size());
  cuda::NearBuckets buckets;
  std::uint64_t far_count = 0;
  unsigned long long lowest = kNoBucket;
  const auto begin_round = [&] {
    const cuda::QueueRef near = queue.next.start_queue(exec, {.deferred = far_count, .lowest = lowest});
    return cuda::OrderedRef{near, queue.far.data(), near.counters, queue.in_far.data(), queue.stamps.data(), ++queue.round};
  };
  const auto end_round = [&] {
    const cuda::Counters counts = queue.next.take_counts(exec);
    far_count = counts.deferred;
    lowest = counts.lowest;
    stats.edges += counts.examined;
    progress.end_round(counts.examined);
    std::swap(queue.near, queue.next);
  };

  // Makes some rounds by one kernel; a template, so that only views with persistent kernels have one.
  const auto relax_on = [&]<class Stays>(const Stays& edges, std::uint64_t small) {
    auto* done = static_cast<cuda::RelaxedOn*>(exec.device_scratch());
    const cuda::OrderedPairs pairs{queue.near.spare_queue(), queue.next.spare_queue(), queue.far.data(), queue.far_next.data(),
                                   queue.in_far.data(),      queue.stamps.data(),      queue.round};
    cuda::launch_together(exec, cuda::relax_on_kernel<Stays, F>, rows, edges, pairs, queue.near.items(), queue.near.edges(),
                          far_count, lowest, small, f, buckets, done);
    auto* host = static_cast<cuda::RelaxedOn*>(exec.host_scratch());
    exec.copy_to_host(host, done, sizeof(*done));
    if ((host->rounds + host->splits) % 2 != 0) std::swap(queue.near, queue.next);
    if (host->splits % 2 != 0) std::swap(queue.far, queue.far_next);
    queue.near.set_counts(host->near);
    queue.round += host->rounds + host->splits;
    far_count = host->pile.deferred;
    lowest = host->pile.lowest;
    buckets = host->buckets;
    stats.edges += host->examined;
    stats.steps += host->rounds;
    progress.end_round(host->examined, host->rounds + host->splits);
  };

  while (queue.near.items() != 0 || far_count != 0) {
    if (queue.after_round) queue.after_round();
    if constexpr (cuda::supports_persistent_kernel<View>) {
      const std::uint64_t small = cuda::small_items(edges, queue.near);
      if (cuda::is_small(small, queue.near.items(), queue.near.edges())) {
        relax_on(edges, small);
        continue;
      }
    }
    if (queue.near.items() != 0) {
      const bool sorted = cuda::worth_sorting(edges, queue.near);
      if (sorted) queue.near.sort_queue(exec);
      const cuda::Groups groups = cuda::groups_of(exec, queue.near.items());
      buckets.processed += groups.count;
      const cuda::OrderedRef next = begin_round();
      cuda::launch(exec, cuda::warps(groups), cuda::relax_kernel<View, F>, rows, edges, queue.near.queue(exec), groups,
                   cuda::next_order<View>(exec, !sorted), f, buckets.current, next);
      end_round();
      ++stats.steps;
      continue;
    }
    const std::uint64_t settled = buckets.open(lowest, far_count);
    std::swap(queue.far, queue.far_next);
    const std::uint64_t count = std::exchange(far_count, 0);
    lowest = kNoBucket;
    const cuda::OrderedRef next = begin_round();
    cuda::launch(exec, cuda::threads(count), cuda::split_kernel<F>, rows, queue.far_next.data(), count, f, settled,
                 buckets.current, next);
    end_round();
  }
  return stats;
}

}  // namespace graphrun::inline GR_IDS
