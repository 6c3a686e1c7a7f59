// Lines of short lists, which warps of kernels that stay keep from one step to the next.
//
// On a mesh or a road map a small frontier moves from each vertex to its neighbours. Most lists that a step reads lie beside one
// that the last step read, and a request of a few far words takes the link as long as one of a whole line. So a warp brings whole
// lines into shared memory, the next one before it is wanted, and vertices whose lists are close go to the same warp, their home.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_edge_reader.cuh"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// A frontier's vertices with short lists, each with its home warp, as far as that has room.
struct Seats {
  static constexpr unsigned kEach = kWarp;  // of a warp
  QueueItem* items;
  unsigned* taken;  // a warp; more than kEach where some found no room. Zero while no kernel stays

  __device__ bool take(VertexId v) const {
    constexpr VertexId kNear = 256;
    const auto hash = static_cast<unsigned>(v / kNear * 0x9e3779b97f4a7c15u >> 32);
    const unsigned home = __umulhi(hash, static_cast<unsigned>(warp_count()));
    const unsigned seat = atomicAdd(&taken[home], 1u);
    if (seat < kEach) items[home * kEach + seat] = {v, 0};
    return seat < kEach;
  }
};

/// Edges behind a link, for kernels launched together whose warps have a KeptLines each.
struct KeptLinesView : DirectView {
  const EdgeId* num_edges;
  Seats seats[2];  // of the frontier that a step goes from, and of the one that it makes, in turn
};

/// A warp's room in shared memory. Edge e is in line e / kLineIds, and so is its weight.
struct KeptLines {
  static constexpr unsigned kLines = 32;  // a bit of a mask each
  static constexpr EdgeId kNone = ~EdgeId{0};

  EdgeId lines[kLines];  // which line is where; kNone: none
  alignas(16) VertexId ids[kLines][kLineIds];
  alignas(16) std::uint32_t weights[kLines][kLineIds];

  __device__ static KeptLines& mine() {
    extern __shared__ __align__(16) unsigned char rooms[];
    return reinterpret_cast<KeptLines*>(rooms)[threadIdx.x / kWarp];
  }
  __device__ static unsigned place(EdgeId line) { return static_cast<std::uint32_t>(line) * 0x9e3779b1u >> 27; }
  __device__ bool has(EdgeId line) const { return lines[place(line)] == line; }
};

/// What a kernel's blocks need in dynamic shared memory.
template <class View>
inline constexpr std::size_t kRoomTogether = std::is_same_v<View, KeptLinesView> ? sizeof(KeptLines) * (kTogetherThreads / kWarp)
                                                                                 : 0;

/// After a kernel that stays. It made all the steps that it may, or not; it kept lines, or not; it read so many lines of each
/// column, and came to so many lists.
inline void note_lists(CudaFrontier& frontier, CudaFrontier& next, bool made_all, bool kept, std::uint64_t lines,
                       std::uint64_t lists) {
  constexpr std::uint64_t kManyLists = 1 << 16;  // in fewer the first lines of each warp count too much
  CudaFrontier::Lists found = frontier.lists();
  if (found == CudaFrontier::Lists::unknown && made_all) found = CudaFrontier::Lists::perhaps_close;
  if (kept && lists >= kManyLists && lines > lists / 2) found = CudaFrontier::Lists::far;
  frontier.note_lists(found);
  next.note_lists(found);
}

/// body(view) for steps from `frontier` and others of about `edges` each. Where lines may pay and a block has room for them, it
/// is a view that keeps lines, and the result is true. A few lists that are far from each other wait for the link once, however
/// they are read; heads are read apart from the rest of their lists.
template <class View, class Body>
bool with_kept_lines([[maybe_unused]] CudaExecutor& exec, [[maybe_unused]] const CudaFrontier& frontier,
                     [[maybe_unused]] EdgeId edges, const View& view, const Body& body) {
  if constexpr (std::is_same_v<View, DirectView>) {
    constexpr EdgeId kManyEdges = 1 << 12;
    const auto is_aligned = [](const void* column) { return reinterpret_cast<std::uintptr_t>(column) % 16 == 0; };
    const auto has_room = [&] {
      int bytes = 0;
      check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()), "ask for shared memory");
      return static_cast<std::size_t>(bytes) > kRoomTogether<KeptLinesView>;
    };
    if (view.is_far() && view.access == Access::aligned && view.heads.lead == 0 && edges >= kManyEdges &&
        frontier.lists() == CudaFrontier::Lists::perhaps_close && frontier.edges() <= frontier.size() * (kLineIds / 4) &&
        is_aligned(view.neighbours) && is_aligned(view.weights) && has_room()) {
      const std::size_t warps = static_cast<std::size_t>(exec.multiprocessors()) * (kTogetherThreads / kWarp);
      const std::size_t seats = warps * Seats::kEach;
      auto* const items = reinterpret_cast<QueueItem*>(exec.piece_sums(2 * seats * sizeof(QueueItem) / sizeof(double)));
      unsigned* const taken = exec.piece_counts(2 * warps);
      const EdgeId* const num_edges = frontier.rows().offsets + frontier.rows().num_vertices;
      body(KeptLinesView{view, num_edges, {{items, taken}, {items + seats, taken + warps}}});
      return true;
    }
  }
  body(view);
  return false;
}

template <>
class EdgeReader<KeptLinesView> {
 public:
  explicit __device__ EdgeReader(const KeptLinesView& view) : view_(view), kept_(KeptLines::mine()) {}

  __device__ Access access() const { return Access::aligned; }

  template <class Weight>
  __device__ void reach(EdgeId begin, EdgeId end) {
    __pipeline_wait_prior(0);  // for the next lines of the last call
    __syncwarp();
    const EdgeId first = begin / kLineIds;
    const EdgeId behind = begin < end ? (end - 1) / kLineIds + 1 : first;
    // A frontier that comes to the middle of a line will want the next one in its direction.
    const EdgeId next = begin % kLineIds >= kLineIds / 2 ? behind : max(first, EdgeId{1}) - 1;
    bool lacks = begin < end && !kept_.has(next);
    in_use_ = 0;
    for (EdgeId line = first; line < behind; ++line) {
      const bool has = kept_.has(line);
      lacks |= !has;
      in_use_ |= has ? 1u << KeptLines::place(line) : 0;
    }
    if (!__any_sync(kAllLanes, lacks)) return;
    in_use_ = __reduce_or_sync(kAllLanes, in_use_);
    for (EdgeId line = first; __any_sync(kAllLanes, line < behind); ++line) bring<Weight>(line < behind, line);
    __pipeline_commit();
    for (EdgeId line = first; line < behind; ++line) {
      if (!kept_.has(line)) read_.add_list<Weight>(Access::aligned, max(begin, line * kLineIds), min(end, (line + 1) * kLineIds));
    }
    bring<Weight>(begin < end, next);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncwarp();
  }
  /// A long list is read where it is, but for lines that are there, or are on their way.
  template <class Weight>
  __device__ EdgeId reach_together(EdgeId, EdgeId end) const {
    __pipeline_wait_prior(0);
    __syncwarp();
    return end;
  }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const EdgeId line = e[j] / kLineIds;
      if (!active[j]) {
        v[j] = 0;
      } else if (kept_.has(line)) {
        v[j] = kept_.ids[KeptLines::place(line)][e[j] % kLineIds];
      } else {
        v[j] = view_.neighbour(e[j]);
      }
    }
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const EdgeId line = e[j] / kLineIds;
      if (!active[j] || !is_weighted<Weight>) {
        w[j] = Weight{};
      } else if (kept_.has(line)) {
        memcpy(&w[j], &kept_.weights[KeptLines::place(line)][e[j] % kLineIds], sizeof(w[j]));
      } else {
        w[j] = view_.template weight<Weight>(e[j]);
      }
    }
  }

  /// What reach() brought or leaves to be read.
  __device__ const Tally& read() const { return read_; }

 private:
  /// Brings the line of each lane with `wants` that is not there, unless its place is in use. All lanes together.
  template <class Weight>
  __device__ void bring(bool wants, EdgeId line) {
    constexpr unsigned kEach = 16;  // bytes a lane
    constexpr unsigned kIdLanes = sizeof(kept_.ids[0]) / kEach, kWeightLanes = sizeof(kept_.weights[0]) / kEach;
    const unsigned lacking = __ballot_sync(kAllLanes, wants && !kept_.has(line));
    __syncwarp();  // all have looked
    for (unsigned left = lacking; left != 0; left &= left - 1) {
      const EdgeId it = __shfl_sync(kAllLanes, line, __ffs(static_cast<int>(left)) - 1);
      const unsigned place = KeptLines::place(it);
      if ((in_use_ >> place & 1u) != 0 || (it + 1) * kLineIds > *view_.num_edges) continue;
      in_use_ |= 1u << place;
      const unsigned lane = lane_id();
      if (lane < kIdLanes) {
        copy(kept_.ids[place], view_.neighbours + it * kLineIds, lane * kEach);
      } else if (is_weighted<Weight> && lane < kIdLanes + kWeightLanes) {
        copy(kept_.weights[place], view_.weights + it * kLineIds, (lane - kIdLanes) * kEach);
      }
      if (lane == 0) {
        kept_.lines[place] = it;
        read_.add_list<Weight>(Access::aligned, it * kLineIds, (it + 1) * kLineIds);
      }
    }
    __syncwarp();
  }
  __device__ static void copy(void* to, const void* from, unsigned at) {
    __pipeline_memcpy_async(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at, 16);
  }

  const KeptLinesView& view_;  // a parameter of the kernel
  KeptLines& kept_;
  unsigned in_use_ = 0;  // places of which a lane reads
  Tally read_;
};

/// Where a warp that takes every `stride`-th piece begins.
struct Every {
  std::uint64_t begin;
  std::uint64_t stride;
  __device__ std::uint64_t first() const { return begin; }
  __device__ std::uint64_t next(std::uint64_t i) const { return i + stride; }
  __device__ std::uint64_t piece(std::uint64_t i, std::uint64_t) const { return i; }
};

/// As CountedAppends, to seats and, where a vertex finds none or has a long list, to the queue.
class SeatedAppends : public CountedAppends {
 public:
  __device__ SeatedAppends(const QueueRef& queue, const Rows& rows, bool eager, const Seats& seats)
      : CountedAppends(queue, rows, eager), seats_(seats) {}
  __device__ void append(VertexId v, bool joins) {
    const unsigned joining = __ballot_sync(kAllLanes, joins);
    if (joining == 0) return;
    if (!eager_ && joins) degree_ = rows_.degree(v);
    const bool is_seated = joins && degree_ < kLongList && !rows_.is_cut(degree_) && seats_.take(v);
    const unsigned long long edges = quick_sum(joins ? degree_ : 0);
    if (lane_id() == 0) {
      atomicAdd(&queue_.counters->vertices, static_cast<unsigned long long>(__popc(joining)));
      atomicAdd(&queue_.counters->edges, edges);
    }
    const bool is_left = joins && !is_seated;
    if (const unsigned left = __ballot_sync(kAllLanes, is_left); left != 0)
      append_items<false>(queue_, rows_, is_left, left, v, degree_);
  }

 private:
  const Seats& seats_;
};

/// How the warps of a kernel that stays share the frontiers of its steps. Here each has as much as the others.
template <class View>
class Shares {
 public:
  explicit __device__ Shares(const View&) {}
  /// body(items, groups, order) for a warp's share of a queue, and of what has seats: push_groups() and relax_groups() take such.
  template <class Body>
  __device__ void for_each(const QueueItem* items, std::uint64_t count, EdgeId edges, const Body& body) const {
    body(items, SmallGroups(count, edges), Strided{});
  }
  __device__ CountedAppends appends(const QueueRef& queue, const Rows& rows, bool eager) const { return {queue, rows, eager}; }
  /// After a step: the frontier that it made is the next one to go from.
  __device__ void turn() {}
  /// Moves the last frontier's seats to its queue, which `found` counts. All threads of the grid together.
  template <class Grid>
  __device__ void end(const Grid&, const QueueRef&, Counters&) const {}
};

/// Here a warp has what has its seats, and as much of the queue as the others.
template <>
class Shares<KeptLinesView> {
 public:
  explicit __device__ Shares(const KeptLinesView& view) : view_(view) {
    static_assert(KeptLines::kLines == kWarp);
    KeptLines::mine().lines[lane_id()] = KeptLines::kNone;
    __syncwarp();
  }
  template <class Body>
  __device__ void for_each(const QueueItem* items, std::uint64_t count, EdgeId edges, const Body& body) const {
    const unsigned seated = min(seated_, Seats::kEach);
    // In a loop, so that the kernel has one walk and not two.
    for (bool of_queue : {false, true}) {
      if ((of_queue ? count : seated) == 0) continue;
      body(of_queue ? items : own_seats(), of_queue ? SmallGroups(count, edges) : SmallGroups(seated),
           of_queue ? Every{warp_id(), warp_count()} : Every{0, 1});
    }
  }
  __device__ SeatedAppends appends(const QueueRef& queue, const Rows& rows, bool eager) const {
    return {queue, rows, eager, view_.seats[1 - turn_]};
  }
  __device__ void turn() {
    turn_ = 1 - turn_;
    unsigned* const taken = &view_.seats[turn_].taken[warp_id()];
    seated_ = atomics::load(*taken);
    __syncwarp();
    if (lane_id() == 0) atomics::store(*taken, 0u);
  }
  template <class Grid>
  __device__ void end(const Grid& grid, const QueueRef& queue, Counters& found) const {
    __pipeline_wait_prior(0);
    if (const unsigned seated = min(seated_, Seats::kEach); seated != 0) {
      unsigned long long base = 0;
      if (lane_id() == 0) base = atomicAdd(&queue.counters->items, static_cast<unsigned long long>(seated));
      base = __shfl_sync(kAllLanes, base, 0) + lane_id();
      if (lane_id() < seated && base < queue.capacity) queue.items[base] = own_seats()[lane_id()];
    }
    grid.sync();
    found.items = atomics::load(queue.counters->items);
    if (found.items > queue.capacity) found.fault = 1;
  }

 private:
  __device__ const QueueItem* own_seats() const { return view_.seats[turn_].items + warp_id() * Seats::kEach; }

  const KeptLinesView& view_;
  unsigned turn_ = 0;
  unsigned seated_ = 0;
};

}  // namespace graphrun::cuda::inline GR_IDS
