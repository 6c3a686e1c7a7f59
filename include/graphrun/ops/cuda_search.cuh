// SPDX-License-Identifier: Apache-2.0
// A breadth-first search by one kernel, over edges in device memory: a step takes a GPU a few microseconds, and the host more to
// decide on the next one.
//
// While frontiers are small, one cluster of blocks makes steps, and the other blocks wait (cuda_team.cuh). Larger ones are a
// bitmap: warps that append to one queue would wait for its counter, and a pull asks for membership anyway. A push lists its
// members first, in pieces of long lists.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "graphrun/ops/cuda_steps.cuh"
#include "graphrun/ops/cuda_team.cuh"
#include "graphrun/ops/direction.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// A search's state between kernels, in device memory.
struct SearchState {
  Counters of_step[kStepsCounted];
  Counters of_team;
  SearchProgress of_walk;   ///< when a team has walked
  SearchProgress progress;  ///< when a kernel has ended
  bool is_swapped;          ///< then the frontier's bitmap is SearchRoom::next
};

/// Memory of a search.
struct SearchRoom {
  QueueRef queue;
  BitmapRef members;                   ///< of a frontier that is a bitmap
  BitmapRef next;                      ///< of the next one
  const std::uint32_t* with_in_edges;  ///< words of the vertices that have some
  BitmapRef open;                      ///< vertices that may want a parent
};

/// A search's functor, which pulls from the members of a bitmap.
template <class F>
struct PullFrom {
  using Can = Capabilities<can::Want, can::KeepOpen>;
  const F& f;
  BitmapRef members;
  BitmapRef open;
  __device__ bool wants(VertexId v) const { return f.wants(v); }
  __device__ bool accepts(VertexId u) const { return members.test(u); }
  __device__ void visit(VertexId v, VertexId u) const { f.visit(v, u); }
  __device__ BitmapRef open_vertices() const { return open; }
};

/// A search as each thread of the kernel runs it. It has no arrays, so that all of it stays in registers. F is bfs::Search.
template <class View, class F>
class Searcher {
 public:
  __device__ Searcher(const Rows& out, const View& out_edges, const Rows& in, const View& in_edges, const SearchRoom& room,
                      const SearchChoice& choice, const F& f, SearchState* state)
      : out_(with_pieces(out)),
        in_(with_pieces(in)),
        out_edges_(out_edges),
        in_edges_(in_edges),
        queue_(room.queue),
        members_(room.members),
        next_(room.next),
        open_(room.open),
        choice_(choice),
        f_(f),
        state_(state),
        team_(with_pieces(out), out_edges, f, {room.queue.items, room.queue.capacity, &state->of_team}, choice.knows_all) {}

  /// Makes at most `most` steps, the first ones where `begins`.
  __device__ void run(std::uint64_t most, bool begins, VertexId source, const std::uint32_t* with_in_edges) {
    if (begins) {
      start(source, with_in_edges);
    } else {
      resume();
    }
    const std::uint64_t last = now_.steps + most;
    const SearchFrontier& frontier = now_.frontier;
    while (frontier.vertices != 0 && now_.steps < last) {
      if (frontier.is_bitmap && team_.fits(4 * frontier.vertices, 4 * frontier.edges)) list_members();
      if (!frontier.is_bitmap && team_.fits(2 * frontier.items, 2 * frontier.edges)) {
        if (blockIdx.x < Team::size()) team_.walk(now_, last);
        share_progress();
        if (frontier.vertices == 0 || now_.steps >= last) break;
      }
      if (now_.leave_frontier(choice_.knows_all)) break;
      if (!choice_.pushes_only &&
          better_to_pull(choice_.costs, frontier.edges, now_.unvisited, out_.num_vertices, choice_.num_edges)) {
        pull();
      } else {
        push();
      }
    }
    if (!leads()) return;
    state_->progress = now_;
    state_->is_swapped = is_swapped_;
  }

 private:
  /// Returns rows with lists cut as the queue has room for (most_items()).
  __device__ static Rows with_pieces(Rows rows) {
    rows.chunk_edges = kSearchPiece;
    return rows;
  }
  __device__ static bool leads() { return blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ static std::uint64_t thread() { return blockIdx.x * std::uint64_t{kSearchThreads} + threadIdx.x; }
  __device__ static std::uint64_t threads() { return std::uint64_t{gridDim.x} * kSearchThreads; }
  __device__ static void sync() { cooperative_groups::this_grid().sync(); }

  __device__ void start(VertexId source, const std::uint32_t* with_in_edges) {
    const std::uint64_t n = out_.num_vertices;
    const std::uint64_t words = BitmapRef::words_for(n);
    for (std::uint64_t v = thread(); v < n; v += threads()) f_.start(static_cast<VertexId>(v), source);
    for (std::uint64_t w = thread(); w < words; w += threads()) {
      members_.words[w] = next_.words[w] = 0;
      open_.words[w] = with_in_edges[w];
    }
    const EdgeId degree = out_.degree(source);
    const EdgeId pieces = out_.pieces(degree);
    now_.frontier = {.items = pieces, .vertices = 1, .edges = degree};
    for (std::uint64_t k = thread(); k < pieces; k += threads()) queue_.items[k] = {source, static_cast<VertexId>(k)};
    now_.unvisited = choice_.reachable;
    if (leads()) *counters() = {};
    sync();
  }

  __device__ void resume() {
    now_ = state_->progress;
    members_is_zero_ = next_is_zero_ = false;
    if (state_->is_swapped) swap_bitmaps();
    if (leads()) *counters() = {};
    sync();
  }

  __device__ void share_progress() {
    if (leads()) state_->of_walk = now_;
    sync();
    now_ = state_->of_walk;
  }

  __device__ Counters* counters() { return &state_->of_step[counted_ % kStepsCounted]; }
  /// Makes the counters of the next step zero, during this one.
  __device__ void clear_next_counters() {
    if (leads()) state_->of_step[(counted_ + 1) % kStepsCounted] = {};
  }
  __device__ Counters counted() {
    sync();
    const Counters read = read_counters(counters());
    ++counted_;
    return read;
  }

  __device__ void make_zero(BitmapRef bitmap, bool& is_zero) {
    if (!is_zero) {
      const std::uint64_t words = BitmapRef::words_for(out_.num_vertices);
      for (std::uint64_t w = thread(); w < words; w += threads()) bitmap.words[w] = 0;
      sync();
    }
    is_zero = false;  // what follows sets bits
  }

  /// Ends a step that found the frontier in next_.
  __device__ void take(const Counters& found) {
    now_.frontier = {.vertices = found.vertices, .edges = found.edges, .is_bitmap = true};
    swap_bitmaps();
    ++now_.steps;
  }
  __device__ void swap_bitmaps() {
    const BitmapRef members = members_;
    members_ = next_;
    next_ = members;
    const bool is_zero = members_is_zero_;
    members_is_zero_ = next_is_zero_;
    next_is_zero_ = is_zero;
    is_swapped_ = !is_swapped_;
  }

  __device__ void push() {
    if (now_.frontier.is_bitmap) list_members();
    now_.examined += now_.frontier.edges;
    make_zero(next_, next_is_zero_);
    clear_next_counters();
    EdgeReader<View> edges(out_edges_);
    const Groups groups = groups_of(now_.frontier.items);
    unsigned long long joined = 0, joined_edges = 0;
    for (std::uint64_t i = warp_id(); i < groups.size(); i += warp_count()) {
      const std::uint64_t at = groups.item(i);
      WorkItem work{0, 0, 0};
      if (at < groups.count) {
        const QueueItem item = queue_.items[at];
        work = out_.piece(item.vertex, item.piece);
      }
      walk_lists<NoWeight>(edges, work.begin, work.end, [&](int owner, VertexId v, NoWeight, bool active) {
        const VertexId u = __shfl_sync(kAllLanes, work.vertex, owner);
        const std::uint32_t bit = 1u << (v % 32);
        if (!active || !f_.wants(v) || (atomics::fetch_or(next_.words[v / 32], bit) & bit) != 0) return;
        f_.visit(v, u);
        ++joined;
        joined_edges += out_.degree(v);
      });
    }
    add_up({joined, joined_edges, 0});
    take(counted());
  }

  /// Adds the numbers of all threads to the step's counters, with an atomic a block.
  __device__ void add_up(const PullSums& found) {
    __shared__ unsigned long long sums[3];
    if (threadIdx.x < 3) sums[threadIdx.x] = 0;
    __syncthreads();
    const unsigned long long joined = quick_sum(found.joined), joined_edges = quick_sum(found.joined_edges);
    const unsigned long long examined = quick_sum(found.examined);
    if (lane_id() == 0) {
      if (joined != 0) atomicAdd(&sums[0], joined);
      if (joined_edges != 0) atomicAdd(&sums[1], joined_edges);
      if (examined != 0) atomicAdd(&sums[2], examined);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (sums[0] != 0) atomicAdd(&counters()->vertices, sums[0]);
    if (sums[1] != 0) atomicAdd(&counters()->edges, sums[1]);
    if (sums[2] != 0) atomicAdd(&counters()->examined, sums[2]);
  }

  /// Makes a queue of a frontier that is a bitmap, with an atomic a block and round.
  __device__ void list_members() {
    using Scan = cub::BlockScan<unsigned, kSearchThreads>;
    __shared__ typename Scan::TempStorage room;
    __shared__ unsigned long long first;
    clear_next_counters();
    const std::uint64_t words = BitmapRef::words_for(out_.num_vertices);
    for (std::uint64_t block = blockIdx.x * std::uint64_t{kSearchThreads}; block < words; block += threads()) {
      const std::uint64_t w = block + threadIdx.x;
      const std::uint32_t word = w < words ? members_.words[w] : 0;
      unsigned wanted = 0;
      for (std::uint32_t left = word; left != 0; left &= left - 1)
        wanted += static_cast<unsigned>(out_.pieces(out_.degree(vertex_of(w, left))));
      unsigned place = 0, all = 0;
      Scan(room).ExclusiveSum(wanted, place, all);
      if (threadIdx.x == 0 && all != 0) first = atomicAdd(&counters()->items, static_cast<unsigned long long>(all));
      __syncthreads();
      for (std::uint32_t left = word; left != 0; left &= left - 1) {
        const VertexId v = vertex_of(w, left);
        const EdgeId pieces = out_.pieces(out_.degree(v));
        for (EdgeId k = 0; k < pieces; ++k) queue_.items[first + place++] = {v, static_cast<VertexId>(k)};
      }
      __syncthreads();
    }
    now_.frontier.items = counted().items;
    now_.frontier.is_bitmap = false;
  }
  __device__ static VertexId vertex_of(std::uint64_t word, std::uint32_t bits) {
    return static_cast<VertexId>(word * 32) + __ffs(static_cast<int>(bits)) - 1;
  }

  /// Sets the bits of a frontier that is a queue.
  __device__ void mark_members() {
    make_zero(members_, members_is_zero_);
    for (std::uint64_t i = thread(); i < now_.frontier.items; i += threads()) {
      const QueueItem item = queue_.items[i];
      if (item.piece == 0) atomicOr(&members_.words[item.vertex / 32], 1u << (item.vertex % 32));
    }
    sync();
  }

  __device__ void pull() {
    if (!now_.frontier.is_bitmap) mark_members();
    clear_next_counters();
    next_is_zero_ = false;
    pull_open();
    Counters found = counted();
    if (found.deferred != 0) {
      clear_next_counters();
      pull_rest(found.deferred);
      const Counters more = counted();
      found.vertices += more.vertices;
      found.edges += more.edges;
      found.examined += more.examined;
    }
    now_.examined += found.examined;
    take(found);
  }

  /// Pulls for the open vertices, and closes those that joined, or did in a push.
  __device__ void pull_open() {
    const Groups words = groups_of(BitmapRef::words_for(in_.num_vertices));
    // The queue is free during a pull, and has room for all lists: most_items().
    const auto leave = [&](VertexId v, EdgeId degree) { leave_rest(in_, v, degree, counters(), queue_); };
    add_up(pull_near<kSearchWarps>(in_, in_edges_, out_, words, 0, PullFrom<F>{f_, members_, open_}, next_, leave));
  }

  /// Scans the pieces of long lists that pull_open() left.
  __device__ void pull_rest(std::uint64_t count) {
    const PullFrom<F> from{f_, members_, open_};
    add_up(pull_pieces(in_, in_edges_, out_, queue_.items, count, Strided{}, from, next_, tally_));
  }

  __device__ static Groups groups_of(std::uint64_t items) {
    const auto each = static_cast<unsigned>(min(items / warp_count() + 1, std::uint64_t{kWarp}));
    return {items, each};
  }

  Rows out_, in_;
  View out_edges_, in_edges_;
  QueueRef queue_;
  BitmapRef members_, next_, open_;
  SearchChoice choice_;
  F f_;
  SearchState* state_;
  TeamSearch<View, F> team_;
  SearchProgress now_{};
  unsigned counted_ = 0;  // calls of counted()
  bool members_is_zero_ = true, next_is_zero_ = true, is_swapped_ = false;
  Tally tally_;  // of no traffic
};

template <class View, class F>
__global__ void __launch_bounds__(kSearchThreads, 1)
    search_kernel(Rows out, View out_edges, Rows in, View in_edges, SearchRoom room, SearchChoice choice, std::uint64_t most,
                  bool begins, VertexId source, F f, SearchState* state) {
  Searcher<View, F>(out, out_edges, in, in_edges, room, choice, f, state).run(most, begins, source, room.with_in_edges);
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Makes at most `most` steps of a search from `source`: the first ones where `frontier` is empty, else the next; afterwards it
/// is empty when the search is over. f has start(v, source) for each vertex, wants(v), f(u, v, NoWeight), which claims v for u,
/// and visit(v, u), for a v that no other thread visits. `open`: words of the vertices with in-edges, then room for as many.
template <class F>
EdgeMapStats search_on(CudaExecutor& exec, const GraphView<DirectView>& graph, VertexId source, const SearchChoice& choice, F f,
                       std::uint32_t* open, CudaFrontier& frontier, CudaFrontier& next, std::uint64_t most) {
  auto* state = static_cast<cuda::SearchState*>(exec.device_scratch());
  auto* host = static_cast<cuda::SearchState*>(exec.host_scratch());
  if (frontier.spare_queue().capacity < most_items(exec, graph)) throw RunError("the queue of a search is too short");
  const bool begins = frontier.empty();
  const EdgeMapStats before = begins ? EdgeMapStats{} : EdgeMapStats{host->progress.examined, host->progress.steps};
  const cuda::SearchRoom room{frontier.spare_queue(),
                              frontier.spare_bitmap(),
                              next.spare_bitmap(),
                              open,
                              {open + BitmapRef::words_for(graph.num_vertices())}};
  cuda::launch_in_clusters(exec, cuda::kSearchThreads, cuda::search_kernel<DirectView, F>, graph.out, graph.out_edges, graph.in,
                           graph.in_edges, room, choice, most, begins, source, f, state);
  exec.copy_to_host(host, state, sizeof(*state));
  const cuda::SearchProgress& found = host->progress;
  frontier.set_counts(found.frontier.vertices, found.frontier.edges);
  return {found.examined - before.edges, found.steps - before.steps};
}

}  // namespace graphrun::inline GR_IDS
