// How ranks on GPUs of one host meet after a step (ranks.hpp). What a rank hands out is in the memory of its GPU: a bit for each
// vertex that changed, and its state. The others read it there, over NVLink where there is one, and take it, by one kernel a
// rank. Where it is, and what was counted, goes through the exchange of the ranks' threads.
//
// Nothing waits on a GPU for another: a rank comes to the exchange when its stream is done, so what it hands out is complete, and
// what it read of the meeting before is read. A meeting costs some 50 us, for the host waits twice or three times.
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
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// What a rank hands out of vertices [first, last), in device memory. `first` is a multiple of 32.
template <class State>
struct StatesMessage {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t* words = nullptr;  ///< a bit for each that has a state here; null: all have
  State* states = nullptr;

  GR_HD std::uint64_t groups() const { return (last - first + 31) / 32; }
};

/// The same, and what the step came to.
template <class State, class Counted>
struct StepMessage {
  Counted counted;
  StatesMessage<State> states;
};

template <class State>
StatesMessage<State> new_message(CudaExecutor& exec, std::uint64_t first, std::uint64_t last, bool has_words) {
  StatesMessage<State> message{first, last};
  const std::size_t state_bytes = ((last - first) * sizeof(State) + 15) / 16 * 16;
  std::byte* const room = exec.message_room(state_bytes + (has_words ? message.groups() * sizeof(std::uint32_t) : 0));
  message.states = reinterpret_cast<State*>(room);
  if (has_words) message.words = reinterpret_cast<std::uint32_t*>(room + state_bytes);
  return message;
}

/// Fills a message; the bits are those of `members` where it has any. A warp takes 32 vertices.
template <class F, class State>
__global__ void hand_out_kernel(BitmapRef members, F f, StatesMessage<State> message) {
  for (std::uint64_t group = warp_id(); group < message.groups(); group += warp_count()) {
    const std::uint64_t v = message.first + group * kWarp + lane_id();
    if (message.words != nullptr) {
      const std::uint32_t word = members.words[message.first / 32 + group];
      if (lane_id() == 0) message.words[group] = word;
      if ((word >> lane_id() & 1u) == 0) continue;
    }
    if (v < message.last) message.states[v - message.first] = f.state(static_cast<VertexId>(v));
  }
}

/// After a push: those that another rank handed out join `next`, and are counted where they were no members.
template <class F, class State>
__global__ void take_joined_kernel(StatesMessage<State> theirs, Rows rows, F f, BitmapRef next, Counters* counters) {
  unsigned long long joined = 0, edges = 0;
  for (std::uint64_t group = warp_id(); group < theirs.groups(); group += warp_count()) {
    const std::uint32_t word = theirs.words[group];
    if (word == 0) continue;
    std::uint32_t* const mine = &next.words[theirs.first / 32 + group];
    const std::uint32_t before = *mine;
    __syncwarp();  // all lanes have read it: f.take() may set its bits
    if ((word >> lane_id() & 1u) != 0) {
      const std::uint64_t v = theirs.first + group * kWarp + lane_id();
      f.take(static_cast<VertexId>(v), theirs.states[v - theirs.first]);
      if ((before >> lane_id() & 1u) == 0) ++joined, edges += rows.degree(static_cast<VertexId>(v));
    }
    __syncwarp();
    if (lane_id() == 0) *mine = before | word;
  }
  joined = warp_sum(joined);
  edges = warp_sum(edges);
  if (lane_id() != 0 || joined == 0) return;
  atomicAdd(&counters->vertices, joined);
  atomicAdd(&counters->edges, edges);
}

/// After a pull: the other's part of `next`.
template <class F, class State>
__global__ void take_part_kernel(StatesMessage<State> theirs, F f, BitmapRef next) {
  for (std::uint64_t group = warp_id(); group < theirs.groups(); group += warp_count()) {
    const std::uint32_t word = theirs.words[group];
    if (lane_id() == 0) next.words[theirs.first / 32 + group] = word;
    const std::uint64_t v = theirs.first + group * kWarp + lane_id();
    if ((word >> lane_id() & 1u) != 0) f.visit(static_cast<VertexId>(v), theirs.states[v - theirs.first]);
  }
}

/// After a pass or a reduction: every state.
template <class F, class State>
__global__ void take_states_kernel(StatesMessage<State> theirs, F f) {
  const std::uint64_t count = theirs.last - theirs.first;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += stride)
    f.take(static_cast<VertexId>(theirs.first + i), theirs.states[i]);
}

/// Hands out the states of [first, last) that f changed, those of `members` where it has any, and calls take(message) for that of
/// each other rank, with what `joined` says of how many states it has. Returns what every rank counted, by rank.
template <class F, class Counted, class Joined, class Take>
std::vector<Counted> meet(CudaExecutor& exec, const Counted& counted, std::uint64_t first, std::uint64_t last, BitmapRef members,
                          const F& f, const Joined& joined, const Take& take) {
  using State = ranks::StateOf<F>;
  static_assert(sizeof(State) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<State>);
  const StatesMessage<State> mine = new_message<State>(exec, first, last, members.words != nullptr);
  if (mine.groups() != 0) launch(exec, warps(mine.groups()), hand_out_kernel<F, State>, members, f, mine);
  exec.finish();
  const auto all = ranks::gather_from_ranks(exec, StepMessage<State, Counted>{counted, mine});
  std::vector<Counted> counts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const StatesMessage<State>& theirs = all[rank].states;
    counts.push_back(all[rank].counted);
    if (static_cast<int>(rank) == exec.part().exchange->rank() || theirs.groups() == 0) continue;
    exec.part().exchange->count_received((theirs.words == nullptr ? 0 : theirs.groups() * sizeof(std::uint32_t)) +
                                         joined(all[rank]) * sizeof(State));
    take(theirs);
  }
  return counts;
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// After a push, whose own vertices that joined are `next`.
template <class F>
EdgeMapStats meet_after_push(CudaExecutor& exec, EdgeMapStats stats, const F& f, CudaFrontier& next) {
  if (exec.part().alone()) return stats;
  if constexpr (TakesState<F>) {
    const ranks::StepHeader mine{stats.edges, next.size(), next.edges()};
    const BitmapRef joined = next.start_union(exec);
    const Rows& rows = next.rows();
    const auto size = [](const auto& message) { return message.counted.joined; };
    const auto all = cuda::meet(exec, mine, 0, rows.num_vertices, joined, f, size, [&](const auto& theirs) {
      cuda::launch(exec, cuda::warps(theirs.groups()), cuda::take_joined_kernel<F, ranks::StateOf<F>>, theirs, rows, f, joined,
                   next.counters());
    });
    next.take_counts(exec);
    stats.edges = 0;
    for (const auto& each : all) stats.edges += each.edges;
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a pull, whose own vertices that joined are bits of `next`.
template <class F>
EdgeMapStats meet_after_pull(CudaExecutor& exec, EdgeMapStats stats, const F& f, CudaFrontier& next) {
  if (exec.part().alone()) return stats;
  if constexpr (ranks::HasState<F>) {
    const ranks::StepHeader mine{stats.edges, next.size(), next.edges()};
    const BitmapRef joined = next.bitmap(exec);
    const RankPart part = exec.part().within(next.rows().num_vertices);
    const auto size = [](const auto& message) { return message.counted.joined; };
    const std::uint64_t first = (part.first + 31) / 32 * 32;  // behind the last vertex for an empty part
    const auto all = cuda::meet(exec, mine, first, std::max(first, part.last), joined, f, size, [&](const auto& theirs) {
      cuda::launch(exec, cuda::warps(theirs.groups()), cuda::take_part_kernel<F, ranks::StateOf<F>>, theirs, f, joined);
    });
    ranks::StepHeader total;
    for (const auto& each : all) total += each;
    next.set_counts(total.joined, total.joined_edges);
    stats.edges = total.edges;
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a pass over all lists of `n` vertices.
template <class F>
EdgeMapStats meet_after_pass(CudaExecutor& exec, EdgeMapStats stats, std::size_t n, const F& f) {
  if (exec.part().alone()) return stats;
  if constexpr (TakesState<F>) {
    const auto size = [&](const auto&) { return n; };
    const auto all = cuda::meet(exec, stats.edges, 0, n, BitmapRef{}, f, size, [&](const auto& theirs) {
      cuda::launch(exec, cuda::threads(n), cuda::take_states_kernel<F, ranks::StateOf<F>>, theirs, f);
    });
    stats.edges = 0;
    for (const std::uint64_t edges : all) stats.edges += edges;
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a reduction over the lists of `n` vertices. Returns the sum over all ranks.
template <class F>
double meet_after_reduce(CudaExecutor& exec, double sum, std::size_t n, const F& f) {
  if (exec.part().alone()) return sum;
  std::vector<double> all;
  if constexpr (TakesState<F>) {
    const RankPart part = exec.part().within(n);
    const auto size = [](const auto& message) { return message.states.last - message.states.first; };
    all = cuda::meet(exec, sum, part.first, part.last, BitmapRef{}, f, size, [&](const auto& theirs) {
      cuda::launch(exec, cuda::threads(theirs.last - theirs.first), cuda::take_states_kernel<F, ranks::StateOf<F>>, theirs, f);
    });
  } else {
    all = ranks::gather_from_ranks(exec, sum);
  }
  double total = 0;
  for (const double each : all) total += each;
  return total;
}

}  // namespace graphrun::inline GR_IDS
