// SPDX-License-Identifier: Apache-2.0
// Kernels of steps from a frontier: pushing along the lists of its vertices, and pulling by those that want to join.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Returns what f pushes along a lane's list; anything where that is empty.
template <class F>
__device__ auto source_of(const F& f, const WorkItem& work) {
  return work.begin < work.end ? f.source(work.vertex) : decltype(f.source(work.vertex)){};
}

inline constexpr EdgeId kPullLimit = 512;  // edges a warp scans for one vertex before it leaves the rest to others

/// Pushes along the lists of groups of items; all warps of the grid together.
template <class View, class Groups, class Order, class F, class Appends>
__device__ void push_groups(const Rows& rows, const View& view, const QueueItem* items, const Groups& groups, const Order& order,
                            const F& f, Appends&& appends, Tally& tally) {
  using Weight = typename F::Weight;
  EdgeReader<View> edges(view);
  for (std::uint64_t i = order.first(); i < groups.size(); i = order.next(i)) {
    const std::uint64_t at = groups.item(order.piece(i, groups.size()));
    WorkItem work = at < groups.count ? rows.piece(items[at].vertex, items[at].piece) : WorkItem{0, 0, 0};
    const auto mine = source_of(f, work);
    open_lists(edges, work);
    PrefixPart head = split_at_prefix<Weight>(edges, rows, work);
    tally.add_cached(head.count);
    tally.add_walk<Weight>(edges.access(), work.begin, work.end);
    do {
      walk_lists<Weight>(edges, work.begin, work.end, [&](int owner, VertexId v, Weight w, bool active) {
        const auto source = __shfl_sync(kAllLanes, mine, owner);
        appends.look_up(v, active);
        appends.append(v, active && f(source, v, w));
      });
    } while (head.take(work.begin, work.end));
  }
  appends.finish();
}

template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    push_kernel(Rows rows, View view, const QueueItem* items, Groups groups, OrderFor<View> order, F f, QueueRef next) {
  Tally tally;
  push_groups(rows, view, items, groups, order, f, SummedAppends(next, rows), tally);
  tally.flush(view.traffic);
}

// Persistent kernels. A step of a few thousand edges takes a GPU a few microseconds, and the host three times as long: a launch,
// a copy of the counts, a decision. So a kernel whose blocks are all on the device makes small steps one after another, with a
// grid barrier in between. The host checks at least every kMostSteps.

inline constexpr std::uint64_t kSmallItems = 1 << 16;
inline constexpr EdgeId kSmallEdges = 1 << 18;
inline constexpr std::uint64_t kMostSteps = 256;

/// Returns whether a persistent kernel makes the step; larger steps want more warps. `small`: the most vertices.
GR_HD constexpr bool is_small(std::uint64_t small, std::uint64_t vertices, EdgeId edges) {
  return vertices <= small && edges <= kSmallEdges;
}

/// Returns whether a kernel reads a view's edges without help of the host.
template <class View>
inline constexpr bool supports_persistent_kernel = std::is_base_of_v<DirectView, View>;

/// Counters of three steps: of the last, which all threads read, of this one, and of the next, which are zeroed meanwhile.
inline constexpr std::uint64_t kStepsCounted = 3;

/// Reads the counts of all blocks, once a block, because loads of one sector by every warp would be served one after another. All
/// threads of a block together, after a barrier of the grid.
__device__ inline Counters read_counters(const Counters* counters) {
  constexpr unsigned kWords = sizeof(Counters) / sizeof(std::uint64_t);
  __shared__ std::uint64_t words[kWords];
  __syncthreads();  // the last that were read here
  if (threadIdx.x < kWords) words[threadIdx.x] = atomics::load(reinterpret_cast<const std::uint64_t*>(counters)[threadIdx.x]);
  __syncthreads();
  Counters read;
  memcpy(&read, words, sizeof(read));
  return read;
}

/// Results of push_on_kernel. Zero before it.
struct PushedOn {
  Counters of_step[kStepsCounted];
  Counters last;
  unsigned long long steps;
  unsigned long long passed;        ///< vertices that joined in any step but the last
  unsigned long long passed_edges;  ///< their edges
};

/// Makes steps from the frontier of `count` items in `from` to one in `to`, from that to one in `from`, and so on.
template <class View, class F>
__global__ void __launch_bounds__(kTogetherThreads, 1)
    push_on_kernel(Rows rows, View view, QueueRef from, QueueRef to, std::uint64_t count, EdgeId edges, std::uint64_t small, F f,
                   PushedOn* done) {
  const auto grid = cooperative_groups::this_grid();
  const bool leads = grid.thread_rank() == 0;
  Tally tally;
  std::uint64_t joined = 0, joined_edges = 0;
  for (std::uint64_t step = 0;; ++step) {
    Counters* const counters = &done->of_step[step % kStepsCounted];
    if (leads) done->of_step[(step + 1) % kStepsCounted] = {};
    const QueueRef queue{to.items, to.capacity, counters};
    push_groups(rows, view, from.items, SmallGroups(count, edges), Strided{}, f,
                CountedAppends(queue, rows, edges <= kSmallItems), tally);
    grid.sync();
    const Counters found = read_counters(counters);
    joined += found.vertices;
    count = found.items;
    edges = found.edges;
    if (found.vertices == 0 || !is_small(small, found.vertices, edges) || found.fault != 0 || step + 1 == kMostSteps ||
        !f.goes_on(joined, edges)) {
      if (leads) {
        done->last = found;
        done->steps = step + 1;
        done->passed = joined - found.vertices;
        done->passed_edges = joined_edges;
      }
      break;
    }
    joined_edges += edges;
    const QueueRef next = from;
    from = to;
    to = next;
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

/// Numbers of a thread's part of a pull.
struct PullSums {
  unsigned long long joined = 0;
  unsigned long long joined_edges = 0;
  unsigned long long examined = 0;
};

/// Adds a warp's sums to a step's counters.
__device__ inline void add_up_pulls(const PullSums& sums, Counters* counters) {
  const unsigned long long joined = warp_sum(sums.joined), edges = warp_sum(sums.joined_edges);
  const unsigned long long examined = warp_sum(sums.examined);
  if (lane_id() != 0) return;
  if (joined != 0) {
    atomicAdd(&counters->vertices, joined);
    atomicAdd(&counters->edges, edges);
  }
  if (examined != 0) atomicAdd(&counters->examined, examined);
}

/// Queues v's list for pull_pieces().
__device__ inline void leave_rest(const Rows& rows, VertexId v, EdgeId degree, Counters* counters, const QueueRef& rest) {
  const EdgeId pieces = rows.pieces(degree);
  const unsigned long long place = atomicAdd(&counters->deferred, static_cast<unsigned long long>(pieces));
  if (place + pieces > rest.capacity) {
    atomicExch(&counters->fault, 1u);
  } else {
    for (EdgeId k = 0; k < pieces; ++k) rest.items[place + k] = {v, static_cast<VertexId>(k)};
  }
}

/// Scans pieces of long lists, a warp each. Several warps may find a neighbour for one vertex: each is a right one, and the lane
/// that sets the vertex's bit counts it.
template <class View, class Order, class F>
__device__ PullSums pull_pieces(const Rows& rows, const View& view, const Rows& out, const QueueItem* items, std::uint64_t count,
                                const Order& order, const F& f, BitmapRef next, Tally& tally) {
  EdgeReader<View> edges(view);
  PullSums sums;
  for (std::uint64_t i = order.first(); i < count; i = order.next(i)) {
    const QueueItem item = items[order.piece(i, count)];
    const WorkItem work = rows.piece(item.vertex, item.piece);
    const std::uint32_t bit = 1u << (work.vertex % 32);
    // One lane looks for all: the word may change while they do.
    if ((__shfl_sync(kAllLanes, atomics::load(next.words[work.vertex / 32]), 0) & bit) != 0) continue;
    const VertexId u = scan_list(edges, work.begin, work.end, f, tally, sums.examined);
    if (u == kNoVertex || lane_id() != 0) continue;
    if ((atomics::fetch_or(next.words[work.vertex / 32], bit) & bit) != 0) continue;
    f.visit(work.vertex, u);
    ++sums.joined;
    sums.joined_edges += out.degree(work.vertex);
  }
  return sums;
}

/// Returns a neighbour of v that f accepts, for each lane that wants one; kNoVertex without one. A lane looks at the beginning of
/// its list in device memory; what goes on is scanned by the warp, and after kPullLimit edges left by leave(v, degree).
template <class View, class F, class Leave>
__device__ VertexId accepted_neighbour(const Rows& rows, const View& view, EdgeReader<View>& edges, VertexId v, bool wants,
                                       const F& f, const Leave& leave, Tally& tally, unsigned long long& examined) {
  constexpr EdgeId kProbeEdges = 32;  // of a list that one lane looks at, before its warp does
  constexpr unsigned kProbesAtOnce = 4;
  VertexId found = kNoVertex;
  EdgeId begin = wants ? rows.offsets[v] : 0;
  const EdgeId end = wants ? rows.offsets[v + 1] : 0;
  for (const EdgeId probe_end = min(end, begin + kProbeEdges); found == kNoVertex && begin < probe_end;) {
    VertexId u[kProbesAtOnce];
    bool accepts[kProbesAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kProbesAtOnce; ++j) u[j] = begin + j < probe_end ? view.neighbour(begin + j) : kNoVertex;
#pragma unroll
    for (unsigned j = 0; j < kProbesAtOnce; ++j) accepts[j] = u[j] != kNoVertex && f.accepts(u[j]);
    unsigned looked = min(static_cast<unsigned>(probe_end - begin), kProbesAtOnce);
#pragma unroll
    for (int j = kProbesAtOnce - 1; j >= 0; --j) {
      if (!accepts[j]) continue;
      found = u[j];
      looked = j + 1;
    }
    examined += looked;
    begin += looked;
  }
  __syncwarp();
  for (unsigned owners = __ballot_sync(kAllLanes, found == kNoVertex && begin < end); owners != 0; owners &= owners - 1) {
    const int owner = __ffs(static_cast<int>(owners)) - 1;
    const EdgeId from = __shfl_sync(kAllLanes, begin, owner);
    const EdgeId to = __shfl_sync(kAllLanes, end, owner);
    const bool cut = rows.is_cut(to - from) && to - from > kPullLimit;
    const VertexId u = scan_list(edges, from, cut ? from + kPullLimit : to, f, tally, examined);
    if (lane_id() != owner) continue;
    found = u;
    if (cut && u == kNoVertex) leave(v, to - rows.offsets[v]);
  }
  return found;
}

/// Returns this lane's word of a group, with the bits of the vertices that may want something.
template <class F>
__device__ std::uint32_t open_word(const Rows& rows, const Groups& words, std::uint64_t first, std::uint64_t i, const F& f) {
  if constexpr (Declares<F, can::KeepOpen>) {
    const std::uint64_t mine = words.item(i);
    return mine < words.count ? f.open_vertices().words[first + mine] : 0;
  } else {
    std::uint32_t open = 0;
#pragma unroll 4
    for (unsigned k = 0; k < words.each; ++k) {
      const std::uint64_t word = i * words.each + k;
      const auto v = static_cast<VertexId>((first + word) * 32 + lane_id());
      const bool wants = word < words.count && v < rows.num_vertices && f.wants(v) && rows.degree(v) != 0;
      const std::uint32_t bits = __ballot_sync(kAllLanes, wants);
      if (lane_id() == static_cast<int>(k)) open = bits;
    }
    return open;
  }
}

/// Pulls over lists in device memory for the vertices of words [first, first + words.count) of a bitmap, and writes these words
/// of `next`. A lane takes a vertex at a time. All warps of the grid together, kWarps of a block.
template <unsigned kWarps, class View, class F, class Leave>
__device__ PullSums pull_near(const Rows& rows, const View& view, const Rows& out, const Groups& words, std::uint64_t first,
                              const F& f, BitmapRef next, const Leave& leave) {
  constexpr bool kKeepsOpen = Declares<F, can::KeepOpen>;
  __shared__ std::uint32_t joins[kWarps][kWarp], dones[kKeepsOpen ? kWarps : 1][kWarp];
  std::uint32_t* const joined_bits = joins[threadIdx.x / kWarp];
  std::uint32_t* const done_bits = dones[kKeepsOpen ? threadIdx.x / kWarp : 0];
  EdgeReader<View> edges(view);
  const int lane = lane_id();
  PullSums sums;
  Tally tally;  // of no traffic
  for (std::uint64_t i = warp_id(); i < words.size(); i += warp_count()) {
    const std::uint64_t mine = words.item(i);
    const std::uint32_t open = open_word(rows, words, first, i, f);
    joined_bits[lane] = 0;
    if (kKeepsOpen) done_bits[lane] = 0;
    __syncwarp();
    deal_bits(open, [&](int owner, unsigned bit, bool is_open) {
      const auto v = static_cast<VertexId>((first + i * words.each + owner) * 32 + bit);
      const bool wants = is_open && (!kKeepsOpen || f.wants(v));  // else open_word() has asked
      const VertexId u = accepted_neighbour(rows, view, edges, v, wants, f, leave, tally, sums.examined);
      if (u != kNoVertex) {
        f.visit(v, u);
        ++sums.joined;
        sums.joined_edges += out.degree(v);
        atomicOr(&joined_bits[owner], 1u << bit);
      }
      if (kKeepsOpen && is_open && (!wants || u != kNoVertex)) atomicOr(&done_bits[owner], 1u << bit);
    });
    __syncwarp();
    if (mine < words.count) {
      next.words[first + mine] = joined_bits[lane];
      if constexpr (kKeepsOpen) {
        if (done_bits[lane] != 0) f.open_vertices().words[first + mine] = open & ~done_bits[lane];
      }
    }
    __syncwarp();
  }
  return sums;
}

/// Returns whether pull_near_kernel pulls: over lists in device or managed memory, by bits of open vertices where f keeps some.
template <class View, class F>
bool pulls_near(const View& view, const F& f) {
  if (!std::is_same_v<View, DirectView> || view.is_far()) return false;
  if constexpr (Declares<F, can::KeepOpen>) return f.open_vertices().words != nullptr;
  return true;
}

/// Pulls over lists in device memory.
template <class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<DirectView>::kLeastPassBlocks)
    pull_near_kernel(Rows rows, DirectView view, Rows out, Groups words, F f, BitmapRef next, Counters* counters, QueueRef rest) {
  const auto leave = [&](VertexId v, EdgeId degree) { leave_rest(rows, v, degree, counters, rest); };
  constexpr unsigned kWarps = kBlockThreads / kWarp;
  add_up_pulls(pull_near<kWarps>(rows, view, out, words, rows.own.first_group, f, next, leave), counters);
}

/// Looks with each lane into the cached prefix of its v until f accepts. Returns the edges it looked at. All lanes together.
template <class View, class F>
__device__ unsigned look_into(EdgeReader<View>& edges, const PrefixPart& head, bool& found, VertexId v, const F& f) {
  unsigned looked = 0;
  for (;;) {
    const bool looks = looked < head.count && !found;
    if (!__any_sync(kAllLanes, looks)) return looked;
    const VertexId u = read_neighbour(edges, head.begin + looked, looks);
    if (!looks) continue;
    found = f.accepts(u);
    if (found) f.visit(v, u);
    ++looked;
  }
}

/// Pulls for the 32 vertices of a bitmap word by one warp. Each lane first tries its list's cached prefix, then the sector in
/// which the rest begins. The whole warp scans lists that go on; after kPullLimit edges the rest is queued for pull_rest_kernel.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastPassBlocks)
    pull_kernel(Rows rows, View view, Rows out, OrderFor<View> order, F f, BitmapRef next, Counters* counters, QueueRef rest) {
  const int lane = lane_id();
  const std::uint64_t words = rows.own.groups;
  EdgeReader<View> edges(view);
  Tally tally;
  unsigned long long joined = 0, joined_edges = 0, examined = 0;
  for (std::uint64_t i = order.first(); i < words; i = order.next(i)) {
    const std::uint64_t word = rows.own.first_group + order.piece(i, words);
    const std::uint64_t index = word * 32 + lane;
    const auto v = static_cast<VertexId>(index);
    const bool wants = index < rows.num_vertices && f.wants(v);
    EdgeId begin = wants ? rows.offsets[v] : 0;
    const EdgeId end = wants ? rows.offsets[v + 1] : 0;
    bool found = false;
    if (has_cached_prefixes(edges)) {
      WorkItem list{v, begin, end};
      PrefixPart head = split_at_prefix<NoWeight>(edges, rows, list);
      const unsigned looked = look_into(edges, head, found, v, f);
      examined += looked;
      tally.add_cached(looked);
      begin = found ? end : list.begin;
    }
    const EdgeId probe_end = edges.access() == Access::naive ? end : min(end, begin / kSectorIds * kSectorIds + kSectorIds);
    const EdgeId first = begin;
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
          leave_rest(rows, v, to - rows.offsets[v], counters, rest);
        }
      }
    }
    joined += found;
    joined_edges += found ? out.degree(v) : 0;
    const std::uint32_t bits = __ballot_sync(kAllLanes, found);
    if (lane == 0) next.words[word] = bits;
  }
  add_up_pulls({joined, joined_edges, examined}, counters);
  tally.flush(view.traffic);
}

/// Scans what pull_kernel and pull_near_kernel left.
template <class View, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    pull_rest_kernel(Rows rows, View view, Rows out, OrderFor<View> order, F f, BitmapRef next, Counters* counters,
                     QueueRef rest) {
  const std::uint64_t count = min(counters->deferred, static_cast<unsigned long long>(rest.capacity));
  Tally tally;
  add_up_pulls(pull_pieces(rows, view, out, rest.items, count, order, f, next, tally), counters);
  tally.flush(view.traffic);
}

}  // namespace graphrun::cuda::inline GR_IDS
