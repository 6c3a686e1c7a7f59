// SPDX-License-Identifier: Apache-2.0
// Exchanges of ranks on GPUs after a step (ranks.hpp). A rank publishes in its GPU's memory a bit or a list entry for each vertex
// that changed, and its state. Other ranks read it there, over NVLink where there is one, and merge it: after a push in the order
// of ranks, or else all at once. Addresses and counts go through the exchange of the ranks.
//
// No GPU waits for another: a rank comes to the exchange when its stream is done, so what it publishes is complete, and what it
// read of the exchange before is read. An exchange costs some 50 us, for the host waits twice or three times; after a push with
// mark(), once more for each rank that published bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_rank_messages.cuh"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Messages of some other ranks, one for each layer of a grid: a kernel spends most of its time reaching them.
template <class State>
struct StatesOfOthers {
  static constexpr unsigned kMost = 8;
  StatesMessage<State> of[kMost];
  unsigned count = 0;

  __device__ const StatesMessage<State>& here() const { return of[blockIdx.y]; }
};

/// Calls body(v) for each bit; `first` is the vertex of bit 0. A lane handles a word with few bits alone, so that the warp has as
/// many states of another GPU on their way at a time.
template <class Read, class Body>
__device__ void for_each_far_member(const Groups& words, std::uint64_t first, const Read& read, const Body& body) {
  constexpr int kFew = 4;
  for (std::uint64_t group = warp_id(); group < words.size(); group += warp_count()) {
    std::uint32_t few = 0;
    const auto read_many = [&](std::uint64_t i) {
      const std::uint32_t word = read(i);
      if (__popc(word) <= kFew) few = word;
      return few == word ? 0 : word;
    };
    for_each_busy_word(words, group, read_many, [&](std::uint64_t i, std::uint32_t word) {
      if ((word >> lane_id() & 1u) != 0) body(static_cast<VertexId>(first + i * kWarp + lane_id()));
    });
    for (const std::uint64_t mine = words.item(group); few != 0; few &= few - 1)
      body(static_cast<VertexId>(first + mine * kWarp + __ffs(static_cast<int>(few)) - 1));
  }
}

__device__ inline void count_joined(unsigned long long joined, unsigned long long edges, Counters* counters) {
  joined = warp_sum(joined);
  edges = warp_sum(edges);
  if (lane_id() != 0 || joined == 0) return;
  atomicAdd(&counters->vertices, joined);
  atomicAdd(&counters->edges, edges);
}

/// Takes another rank's members after a push: they join `next`, and count where they are new. A functor with mark() gets states
/// of this rank's own vertices only; `states` counts them.
template <class F, class State>
__global__ void take_joined_kernel(StatesMessage<State> theirs, Rows rows, F f, BitmapRef next, Counters* counters,
                                   unsigned long long* states) {
  unsigned long long joined = 0, edges = 0, taken = 0;
  const auto take = [&](VertexId v) {
    if constexpr (Declares<F, can::Mark>) {
      if (!rows.owns(v)) return f.mark(v);
      ++taken;
    }
    f.take(v, theirs.states[v - theirs.first]);
  };
  const auto read = [&](std::uint64_t group) { return theirs.words[group]; };
  for_each_busy_word(theirs.grouped(), read, [&](std::uint64_t group, std::uint32_t word) {
    std::uint32_t* const mine = &next.words[theirs.first / 32 + group];
    const std::uint32_t before = *mine;
    __syncwarp();  // all lanes have read it: f.take() may set its bits
    if ((word >> lane_id() & 1u) != 0) {
      const auto v = static_cast<VertexId>(theirs.first + group * kWarp + lane_id());
      take(v);
      if ((before >> lane_id() & 1u) == 0) ++joined, edges += rows.degree(v);
    }
    __syncwarp();
    if (lane_id() == 0) *mine = before | word;
  });
  count_joined(joined, edges, counters);
  if constexpr (Declares<F, can::Mark>) {
    taken = warp_sum(taken);
    if (lane_id() == 0 && taken != 0) atomicAdd(states, taken);
  }
}

/// Does the same with a list.
template <class F, class State>
__global__ void take_list_kernel(StatesMessage<State> theirs, Rows rows, F f, BitmapRef next, Counters* counters) {
  unsigned long long joined = 0, edges = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < theirs.count; i += stride) {
    const VertexId v = theirs.list[i];
    const bool joins = next.set(v);  // before f.take(), which may set it too
    f.take(v, theirs.states[i]);
    if (joins) ++joined, edges += rows.degree(v);
  }
  count_joined(joined, edges, counters);
}

/// Takes the other rank's part of `next` after a pull.
template <class F, class State>
__global__ void take_parts_kernel(StatesOfOthers<State> others, F f, BitmapRef next) {
  const StatesMessage<State>& theirs = others.here();
  const auto read = [&](std::uint64_t group) { return next.words[theirs.first / 32 + group] = theirs.words[group]; };
  for_each_far_member(theirs.grouped(), theirs.first, read, [&](VertexId v) { f.mark(v); });
}

/// Takes every published state after a pass or a reduction. f.take() may be called at the same time for a vertex that several
/// ranks publish.
template <class F, class State>
__global__ void take_states_kernel(StatesOfOthers<State> others, F f) {
  const StatesMessage<State>& theirs = others.here();
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  if (theirs.list != nullptr) {
    for (std::uint64_t i = thread; i < theirs.count; i += stride) f.take(theirs.list[i], theirs.states[i]);
    return;
  }
  if (theirs.words == nullptr) {
    for (std::uint64_t v = theirs.first + thread; v < theirs.last; v += stride)
      f.take(static_cast<VertexId>(v), theirs.states[v - theirs.first]);
    return;
  }
  const auto take = [&](const std::uint32_t* words, const auto& state) {
    for_each_far_member(
        theirs.grouped(), theirs.first, [&](std::uint64_t group) { return words[group]; },
        [&](VertexId v) { f.take(v, state(v)); });
  };
  take(theirs.words, [&](std::uint64_t v) { return theirs.states[v - theirs.first]; });
  if (theirs.common_words != nullptr) take(theirs.common_words, [&](std::uint64_t) { return theirs.common; });
}

/// Takes the others' own vertices: f.take() for those that changed, f.forget() for all the rest.
template <class F, class State>
__global__ void take_or_forget_kernel(StatesOfOthers<State> others, F f) {
  const StatesMessage<State>& theirs = others.here();
  const Groups words = theirs.grouped();
  for (std::uint64_t group = warp_id(); group < words.size(); group += warp_count()) {
    const std::uint64_t item = words.item(group);
    const std::uint32_t mine = item < words.count ? theirs.words[item] : 0;
    const std::uint32_t mine_common = item < words.count ? theirs.common_words[item] : 0;
    for (unsigned k = 0; k < words.each; ++k) {
      const std::uint32_t bit = 1u << lane_id();
      const std::uint32_t word = __shfl_sync(kAllLanes, mine, static_cast<int>(k));
      const std::uint32_t common = __shfl_sync(kAllLanes, mine_common, static_cast<int>(k));
      const std::uint64_t v = theirs.first + (group * words.each + k) * kWarp + lane_id();
      if (v >= theirs.last) continue;
      if (((word | common) & bit) == 0) {
        f.forget(static_cast<VertexId>(v));
      } else {
        f.take(static_cast<VertexId>(v), (common & bit) != 0 ? theirs.common : theirs.states[v - theirs.first]);
      }
    }
  }
}

enum class Takes { others, mine_too };

/// Calls take(message), in the order of ranks, for each other rank's message, or also this one's. It may return the number of
/// states it read, where these are not all. Returns every rank's counts, by rank.
template <class State, class Counted, class Take>
std::vector<Counted> exchange_states(CudaExecutor& exec, const StepMessage<State, Counted>& mine, const Take& take,
                                     Takes takes = Takes::others) {
  static_assert(sizeof(State) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<State>);
  exec.finish();
  const auto all = ranks::gather_from_ranks(exec, mine);
  std::vector<CudaExecutor::PublishedRoom> published;
  for (const auto& each : all) published.push_back(each.published);
  const std::vector<const std::byte*> rooms = exec.reach(published);
  std::vector<Counted> counts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    counts.push_back(all[rank].counted);
    if (static_cast<int>(rank) == exec.part().exchange->rank()) {
      if (takes == Takes::mine_too) take(mine.states);
      continue;
    }
    if (published[rank].bytes == 0) continue;
    const StatesMessage<State> theirs = all[rank].states.in(rooms[rank], published[rank].room);
    std::uint64_t states = theirs.count;
    if constexpr (std::is_void_v<std::invoke_result_t<const Take&, const StatesMessage<State>&>>) {
      take(theirs);
    } else {
      states = take(theirs);
    }
    if (!exec.brings_messages()) exec.part().exchange->count_received(rank, theirs.bytes_read(states));
  }
  return counts;
}

/// Does the same where kernel(StatesOfOthers, arguments...) takes several messages.
template <class State, class Counted, class... Parameters, class... Arguments>
std::vector<Counted> exchange_at_once(CudaExecutor& exec, const StepMessage<State, Counted>& mine,
                                      void (*kernel)(StatesOfOthers<State>, Parameters...), const Arguments&... arguments) {
  StatesOfOthers<State> others;
  std::uint64_t threads = 0;
  const auto take = [&] {
    if (threads != 0) launch(exec, Grid{grid_for(exec, {threads}), kBlockThreads, others.count}, kernel, others, arguments...);
    others.count = 0, threads = 0;
  };
  const std::vector<Counted> counts = exchange_states(exec, mine, [&](const StatesMessage<State>& theirs) {
    others.of[others.count++] = theirs;
    threads = std::max(threads, theirs.list == nullptr ? theirs.groups() * kWarp : theirs.count);
    if (others.count == others.kMost) take();
  });
  take();
  return counts;
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Exchanges after a push; `next` has the rank's own vertices that joined.
template <class F>
requires Declares<F, can::Share> EdgeMapStats exchange_after_push(CudaExecutor& exec, EdgeMapStats stats, const F& f,
                                                                  CudaFrontier& next) {
  if (exec.part().is_single_rank()) return stats;
  static_assert(!Declares<F, can::Mark> || !RepeatingPush<F>, "a vertex that a rank marked must not join there again");
  const Rows& rows = next.rows();
  const ranks::StepHeader counted{stats.edges, next.size(), next.edges()};
  const auto publish_joined = [&] {
    if (!next.is_queue() || next.size() > cuda::longest_list<F>(rows.num_vertices))
      return cuda::publish(exec, counted, 0, rows.num_vertices, next.size(), next.bitmap(exec), f);
    std::byte* const room = cuda::list_room<F>(exec, next.size());
    next.copy_to(exec, reinterpret_cast<VertexId*>(room));
    return cuda::publish_list(exec, counted, rows.num_vertices, next.size(), room, f);
  };
  const auto mine = publish_joined();
  const BitmapRef joined = next.start_union(exec);
  const auto all = cuda::exchange_states(exec, mine, [&](const auto& theirs) -> std::uint64_t {
    if (theirs.list == nullptr) {
      unsigned long long* const states = Declares<F, can::Mark> ? cuda::new_count(exec) : nullptr;
      cuda::launch(exec, cuda::warps(theirs.groups()), cuda::take_joined_kernel<F, ranks::StateOf<F>>, theirs, rows, f, joined,
                   next.counters(), states);
      if (states != nullptr) return cuda::counted_at(exec, states);
    } else if (theirs.count != 0) {
      cuda::launch(exec, cuda::threads(theirs.count), cuda::take_list_kernel<F, ranks::StateOf<F>>, theirs, rows, f, joined,
                   next.counters());
    }
    return theirs.count;
  });
  next.take_counts(exec);
  stats.edges = 0;
  for (const auto& each : all) stats.edges += each.edges;
  return stats;
}

/// Exchanges after a pull; the rank's own vertices that joined are bits of `next`.
template <class F>
requires Declares<F, can::Mark> EdgeMapStats exchange_after_pull(CudaExecutor& exec, EdgeMapStats stats, const F& f,
                                                                 CudaFrontier& next) {
  if (exec.part().is_single_rank()) return stats;
  const ranks::StepHeader counted{stats.edges, next.size(), next.edges()};
  const BitmapRef joined = next.bitmap(exec);
  const RankPart part = exec.part().within(next.rows().num_vertices);
  const std::uint64_t first = (part.first + 31) / 32 * 32;  // after the last vertex for an empty part
  const auto mine = cuda::publish(exec, counted, first, std::max(first, part.last), next.size(), joined, f);
  const auto all = cuda::exchange_at_once(exec, mine, cuda::take_parts_kernel<F, ranks::StateOf<F>>, f, joined);
  ranks::StepHeader total;
  for (const auto& each : all) total += each;
  next.set_counts(total.joined, total.joined_edges);
  stats.edges = total.edges;
  return stats;
}

template <class F>
requires ranks::NotesChanges<F> EdgeMapStats share_changes(CudaExecutor& exec, const Rows& rows, EdgeMapStats stats, const F& f) {
  if (exec.part().is_single_rank()) return stats;
  const auto mine = [&] {
    if constexpr (Declares<F, can::NoteAnyChanges>) {
      return cuda::publish_members(exec, stats.edges, rows.num_vertices, f.changes(), f);
    } else {
      return cuda::publish_changes(exec, stats.edges, exec.part().within(rows.num_vertices), f);
    }
  }();
  const auto kernel = [] {
    if constexpr (Declares<F, can::Forget>) {
      return cuda::take_or_forget_kernel<F, ranks::StateOf<F>>;
    } else {
      return cuda::take_states_kernel<F, ranks::StateOf<F>>;
    }
  }();
  const auto all = cuda::exchange_at_once(exec, mine, kernel, f);
  if constexpr (Declares<F, can::NoteAnyChanges>) exec.fill_words(f.changes().words, 0, BitmapRef::words_for(rows.num_vertices));
  stats.exchanged = true;
  stats.edges = 0;
  for (const std::uint64_t edges : all) stats.edges += edges;
  return stats;
}

/// Exchanges after a reduction over the lists of `n` vertices. Returns the sum over all ranks.
template <class F>
double exchange_after_reduce(CudaExecutor& exec, double sum, std::size_t n, const F& f) {
  if constexpr (!Declares<F, can::Share>) ranks::require_single_rank<F>(exec);
  if (exec.part().is_single_rank()) return sum;
  const RankPart part = exec.part().within(n);
  const std::uint64_t own = part.last - part.first;
  std::vector<double> all;
  if (const std::size_t bytes = ranks::bytes_elsewhere(f); bytes != 0) {
    struct Written {
      double sum;
      std::uint64_t states;
    };
    for (const Written& theirs : ranks::gather_from_ranks(exec, Written{sum, own})) {
      const bool is_mine = static_cast<int>(all.size()) == exec.part().exchange->rank();
      exec.part().exchange->count_received(all.size(), is_mine ? 0 : theirs.states * bytes);
      all.push_back(theirs.sum);
    }
  } else if constexpr (Declares<F, can::Share>) {
    const auto mine = cuda::publish(exec, sum, part.first, part.last, own, BitmapRef{}, f);
    all = cuda::exchange_at_once(exec, mine, cuda::take_states_kernel<F, ranks::StateOf<F>>, f);
  } else {
    all = ranks::gather_from_ranks(exec, sum);
  }
  double total = 0;
  for (const double each : all) total += each;
  return total;
}

/// Collects a per-vertex array; each rank holds valid values for the vertices it owns.
template <class T>
struct OwnElements {
  using Can = Capabilities<can::Share>;
  T* elements;
  GR_HD T state(VertexId v) const { return elements[v]; }
  GR_HD void take(VertexId v, T element) const { elements[v] = element; }
};

template <class T>
void collect_parts(CudaExecutor& exec, DeviceArray<T>& array) {
  if (exec.part().is_single_rank()) return;
  exchange_after_reduce(exec, 0, array.size(), OwnElements<T>{array.data()});
  exec.synchronize();
}

template <class T>
void collect_members(CudaExecutor& exec, CudaFrontier& frontier, DeviceArray<T>& array) {
  if (exec.part().is_single_rank()) return;
  const RankPart part = exec.part().within(frontier.rows().num_vertices);
  const std::uint64_t first = (part.first + 31) / 32 * 32;  // after the last vertex for an empty part
  const std::uint64_t last = std::max<std::uint64_t>(first, part.last);
  const BitmapRef members = frontier.bitmap(exec);
  const BitmapRef own{members.words + first / 32};
  const std::uint64_t count = cuda::list_members(exec, own, BitmapRef::words_for(last - first), nullptr, 0);
  const OwnElements<T> f{array.data()};
  cuda::exchange_at_once(exec, cuda::publish(exec, std::uint64_t{0}, first, last, count, members, f),
                         cuda::take_states_kernel<OwnElements<T>, T>, f);
}

}  // namespace graphrun::inline GR_IDS
