// SPDX-License-Identifier: Apache-2.0
// Steps of a search by one cluster of blocks (a team), with its queue in their shared memory: for the many small levels of roads
// and meshes, where a barrier of the whole grid and a queue in device memory would cost several times the work.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_steps.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/direction.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr unsigned kSearchThreads = 1024;
inline constexpr unsigned kSearchWarps = kSearchThreads / kWarp;
inline constexpr unsigned kTeamItems = sizeof(VertexId) == 4 ? 1024 : 512;  // of a block: what static shared memory holds
inline constexpr EdgeId kTeamEdges = 512;                                   // of a block, or
inline constexpr EdgeId kTeamDegree = 8;     // times the items: short lists, of meshes, reach few new vertices
inline constexpr unsigned kTeamPiece = 128;  // edges of a list that some lanes walk

/// A frontier, as all threads know it: a queue of `items`, or a bitmap.
struct SearchFrontier {
  unsigned long long items = 0;
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  bool is_bitmap = false;
};

/// How far a search is, as all threads know it; `examined` as the grid's first thread does.
struct SearchProgress {
  SearchFrontier frontier;
  Unvisited unvisited;  ///< the frontier's vertices included, until it is left
  unsigned long long steps;
  unsigned long long examined;

  /// Counts the frontier's vertices as visited. Returns whether a step would find none, and then counts the step.
  __device__ bool leave_frontier(bool knows_all) {
    unvisited.leave(frontier.vertices, frontier.edges);
    if (!knows_all || unvisited.vertices != 0) return false;
    frontier.vertices = 0;
    ++steps;
    return true;
  }
};

/// The blocks of the grid's first cluster; before compute capability 9.0 its first block.
struct Team {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static __device__ unsigned size() { return cooperative_groups::this_cluster().num_blocks(); }
  static __device__ unsigned rank() { return cooperative_groups::this_cluster().block_rank(); }
  /// Waits for all blocks. One thread's fence stands for its block's, as in a barrier of the grid: fences of all cost
  /// microseconds.
  static __device__ void sync() {
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
  }
  /// Returns where `shared` is in the block of this rank.
  template <class T>
  static __device__ T* of(unsigned rank, T* shared) {
    return cooperative_groups::this_cluster().map_shared_rank(shared, rank);
  }
#else
  static __device__ unsigned size() { return 1; }
  static __device__ unsigned rank() { return 0; }
  static __device__ void sync() { __syncthreads(); }
  template <class T>
  static __device__ T* of(unsigned, T* shared) {
    return shared;
  }
#endif
};

/// At most kTeamPiece edges of a list.
struct TeamItem {
  EdgeId begin;
  VertexId vertex;
  unsigned edges;
};
struct TeamRoom {
  TeamItem items[2][kTeamItems];
  // Of a block's vertices that joined: items, edges and their number. Where items are more than kTeamItems, the queue has some of
  // the vertices instead, and edges may have overflowed.
  unsigned counts[kStepsCounted][3];
  unsigned ends[kClusterBlocks];  // of all blocks, and what they have together
  unsigned vertices, edges;
  bool fits;
};

/// The team's part of a search. F is bfs::Search.
template <class View, class F>
class TeamSearch {
 public:
  /// `queue`: of frontiers before and after; a team counts in its counters.
  __device__ TeamSearch(const Rows& out, const View& edges, const F& f, const QueueRef& queue, bool knows_all)
      : out_(out), out_edges_(edges), f_(f), queue_(queue), knows_all_(knows_all) {}

  __device__ bool fits(std::uint64_t items, EdgeId edges) const {
    return items <= kTeamItems * team_ && edges <= max(kTeamEdges * team_, kTeamDegree * items);
  }

  /// Makes steps until the frontier is empty or does not fit, or `last` are made. All threads of the team's blocks together;
  /// afterwards the grid's first thread knows how far the search is.
  __device__ void walk(SearchProgress& now, std::uint64_t last) {
    __shared__ TeamRoom room;
    if (threadIdx.x < 3 * kStepsCounted) room.counts[threadIdx.x / 3][threadIdx.x % 3] = 0;
    const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    if (leads) *queue_.counters = {};
    __syncthreads();
    load(room, now.frontier.items);
    const SearchFrontier entered = now.frontier;
    meet(room, 0, now);
    now.frontier = entered;  // the queue may lack vertices without edges
    unsigned step = 0;
    for (; room.fits && now.frontier.vertices != 0 && now.steps < last; meet(room, step, now)) {
      if (now.leave_frontier(knows_all_)) break;
      if (threadIdx.x < 3) room.counts[(step + 2) % kStepsCounted][threadIdx.x] = 0;
      now.examined += now.frontier.edges;
      make_step(room, step);
      ++now.steps;
      ++step;
    }
    if (step != 0 && now.frontier.vertices != 0) list(room, step);
    Team::sync();
    if (!leads || step == 0) return;
    now.frontier.items = atomics::load(queue_.counters->items);
    now.frontier.edges = atomics::load(queue_.counters->edges);
  }

 private:
  /// Deals out the vertices of the queue. A block's have room: fits(2 * items, 2 * edges), and lists are cut into few pieces.
  __device__ void load(TeamRoom& room, std::uint64_t items) {
    for (std::uint64_t first = 0; first < items; first += team_ * kSearchThreads) {
      const std::uint64_t i = first + threadIdx.x * team_ + rank_;
      const QueueItem item = i < items ? queue_.items[i] : QueueItem{0, 1};
      const bool joins = item.piece == 0;
      const EdgeId begin = joins ? out_.offsets[item.vertex] : 0;
      add(room, 0, joins, item.vertex, begin, joins ? out_.offsets[item.vertex + 1] - begin : 0);
    }
  }

  /// Waits for the blocks of a team, and adds up what all have. One warp a block asks the others.
  __device__ void meet(TeamRoom& room, unsigned step, SearchProgress& now) {
    Team::sync();
    if (threadIdx.x < kWarp) {
      const bool is_block = lane_id() < static_cast<int>(team_);
      TeamRoom* const theirs = Team::of(is_block ? lane_id() : 0, &room);
      const unsigned* const counts = theirs->counts[step % kStepsCounted];
      const unsigned mine = is_block ? counts[0] : 0;
      const unsigned edges = __reduce_add_sync(kAllLanes, is_block ? counts[1] : 0);
      const unsigned vertices = __reduce_add_sync(kAllLanes, is_block ? counts[2] : 0);
      const unsigned ends = warp_inclusive_scan(mine);
      const unsigned items = __shfl_sync(kAllLanes, ends, kWarp - 1);
      const bool all_fit = __all_sync(kAllLanes, mine <= kTeamItems) && fits(items, edges);
      if (lane_id() < static_cast<int>(kClusterBlocks)) room.ends[lane_id()] = ends;
      if (lane_id() == 0) {
        room.vertices = vertices;
        room.edges = edges;
        room.fits = all_fit;
      }
    }
    __syncthreads();
    now.frontier.vertices = room.vertices;
    now.frontier.edges = room.edges;
  }

  /// Adds the vertices of a warp's lanes with `joins` to this block's items, or where they have no room to the queue.
  __device__ void add(TeamRoom& room, unsigned step, bool joins, VertexId v, EdgeId begin, EdgeId degree) {
    const unsigned joining = __ballot_sync(kAllLanes, joins);
    if (joining == 0) return;
    const auto pieces = joins ? static_cast<unsigned>((degree + kTeamPiece - 1) / kTeamPiece) : 0;
    const unsigned ends = __any_sync(kAllLanes, pieces > 1)
                              ? warp_inclusive_scan(pieces)
                              : __popc(__ballot_sync(kAllLanes, pieces != 0) & (kAllLanes >> (kWarp - 1 - lane_id())));
    const unsigned edges = __reduce_add_sync(kAllLanes, joins ? static_cast<unsigned>(degree) : 0);
    const unsigned items = __shfl_sync(kAllLanes, ends, kWarp - 1);
    unsigned first = 0;
    if (lane_id() < 3) {
      const unsigned more = lane_id() == 0 ? items : lane_id() == 1 ? edges : __popc(joining);
      first = atomicAdd(&room.counts[step % kStepsCounted][lane_id()], more);
    }
    const unsigned place = __shfl_sync(kAllLanes, first, 0) + ends - pieces;
    const bool has_room = place + pieces <= kTeamItems;
    for (unsigned k = 0; k < pieces && place + k < kTeamItems; ++k) {
      const EdgeId at = k * EdgeId{kTeamPiece};
      room.items[step % 2][place + k] = {begin + at, v,
                                         has_room ? static_cast<unsigned>(min(degree - at, static_cast<EdgeId>(kTeamPiece))) : 0};
    }
    if (pieces != 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(out_edges_.neighbours + begin));
    append_to_queue(joins && !has_room, v, degree);
  }
  __device__ void append_to_queue(bool joins, VertexId v, EdgeId degree) {
    const unsigned joining = __ballot_sync(kAllLanes, joins);
    if (joining == 0) return;
    append_items<false>(queue_, out_, joins, joining, v, degree);
    const unsigned long long edges = quick_sum(joins ? degree : 0);
    if (lane_id() == 0) atomicAdd(&queue_.counters->edges, edges);
  }

  /// Appends this block's vertices to the queue.
  __device__ void list(TeamRoom& room, unsigned step) {
    const unsigned kept = min(room.counts[step % kStepsCounted][0], kTeamItems);
    for (unsigned first = 0; first < kept; first += kSearchThreads) {
      const unsigned i = first + threadIdx.x;
      const TeamItem item = i < kept ? room.items[step % 2][i] : TeamItem{0, 0, 0};
      const bool begins = item.edges != 0 && item.begin == out_.offsets[item.vertex];
      append_to_queue(begins, item.vertex, begins ? out_.degree(item.vertex) : 0);
    }
  }

  /// Walks this block's share of all blocks' items; as many lanes an item as it has edges on average.
  __device__ void make_step(TeamRoom& room, unsigned step) {
    const unsigned items = room.ends[kClusterBlocks - 1];
    const unsigned share = team_ == 1 ? items : (items + kClusterBlocks - 1) / kClusterBlocks;
    const unsigned from = min(share * rank_, items), to = min(from + share, items);
    unsigned lanes = 1;
    while (lanes < kWarp && lanes * items < room.edges) lanes *= 2;
    const unsigned each = kWarp / lanes;
    for (unsigned first = from + threadIdx.x / kWarp * each; first < to; first += kSearchWarps * each) {
      const unsigned index = first + lane_id() / lanes;
      TeamItem item{0, 0, 0};
      if (index < to) {
        unsigned block = 0, before = 0;
        for (; index >= room.ends[block]; ++block) before = room.ends[block];
        item = (block == rank_ ? &room : Team::of(block, &room))->items[step % 2][index - before];
      }
      for (unsigned k = lane_id() % lanes; __any_sync(kAllLanes, k < item.edges); k += lanes) {
        const bool active = k < item.edges;
        const VertexId v = active ? out_edges_.neighbour(item.begin + k) : 0;
        const EdgeId begin = active ? out_.offsets[v] : 0;
        const EdgeId behind = active ? out_.offsets[v + 1] : 0;
        add(room, step + 1, active && f_(item.vertex, v, NoWeight{}), v, begin, behind - begin);
      }
    }
  }

  Rows out_;
  View out_edges_;
  F f_;
  QueueRef queue_;
  bool knows_all_;
  const unsigned team_ = Team::size(), rank_ = Team::rank();
};

}  // namespace graphrun::cuda::inline GR_IDS
