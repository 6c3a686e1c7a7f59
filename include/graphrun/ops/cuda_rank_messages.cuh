// SPDX-License-Identifier: Apache-2.0
// Messages of a rank on a GPU after a step, in the memory of its GPU: a bit or an entry of a list for each vertex that changed,
// and its state. cuda_ranks.cuh reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Returns the address of `place`, which lies in `room`, where the room begins at `there`. Null stays null.
template <class T>
T* moved(T* place, const std::byte* room, const std::byte* there) {
  const auto offset = reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(room);
  return place == nullptr ? nullptr : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(there) + offset);
}

/// Changes that a rank publishes of vertices [first, last), in device memory. If there are any, `first` is a multiple of 32.
template <class State>
struct StatesMessage {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;         ///< vertices that have a state here
  std::uint32_t* words = nullptr;  ///< a bit for each of these; null: a list has them, or all have a state
  VertexId* list = nullptr;
  State* states = nullptr;                ///< by place in the list, else by vertex; null: the vertices only joined
  std::uint32_t* common_words = nullptr;  ///< a bit for each further one that has the state `common`
  State common = {};

  GR_HD std::uint64_t groups() const { return (last - first + 31) / 32; }
  /// Returns the words, for the warps of a kernel.
  __device__ Groups grouped() const {
    return {groups(), static_cast<unsigned>(std::clamp<std::uint64_t>(groups() / warp_count(), 1, kWarp))};
  }
  /// Returns the bytes that a rank reads for this many states.
  std::uint64_t bytes_read(std::uint64_t states_read) const {
    return ((words == nullptr ? 0 : 1) + (common_words == nullptr ? 0 : 1)) * groups() * sizeof(*words) +
           states_read * ((list == nullptr ? 0 : sizeof(*list)) + (states == nullptr ? 0 : sizeof(State)));
  }
  /// Returns the same message, with addresses in `room` moved to another room.
  StatesMessage in(const std::byte* other, const std::byte* room) const {
    const auto there = [&](auto* place) { return moved(place, room, other); };
    return {first, last, count, there(words), there(list), there(states), there(common_words), common};
  }
};

/// The same, and the counts of the step.
template <class State, class Counted>
struct StepMessage {
  Counted counted;
  StatesMessage<State> states;
  CudaExecutor::PublishedRoom published;
};

/// Fills a message; the bits are a copy of `members` where it has any.
template <class F, class State>
__global__ void publish_kernel(BitmapRef members, F f, StatesMessage<State> message) {
  const auto copied = [&](std::uint64_t group) {
    if (message.words == nullptr) return ~0u;
    const std::uint32_t word = members.words[message.first / 32 + group];
    message.words[group] = word;
    return Declares<F, can::Share> ? word : 0;
  };
  const auto fill = [&](std::uint64_t group, std::uint32_t word) {
    const std::uint64_t v = message.first + group * kWarp + lane_id();
    if constexpr (Declares<F, can::Share>) {
      const bool is_member = (word >> lane_id() & 1u) != 0 && v < message.last;
      if (is_member) message.states[v - message.first] = f.state(static_cast<VertexId>(v));
    }
  };
  for_each_busy_word(message.grouped(), copied, fill);
}

template <class F, class State>
__global__ void publish_list_kernel(F f, StatesMessage<State> message) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < message.count; i += stride)
    message.states[i] = f.state(message.list[i]);
}

/// Writes the changes of a pass at a rank's own vertices: states that are f.common as bits, and others beside them, which
/// `states` counts.
template <class F, class State>
__global__ void publish_changes_kernel(F f, StatesMessage<State> message, unsigned long long* states) {
  unsigned long long count = 0;
  for (std::uint64_t group = warp_id(); group < message.groups(); group += warp_count()) {
    const std::uint64_t v = message.first + group * kWarp + lane_id();
    const bool changed = v < message.last && f.changed(static_cast<VertexId>(v));
    const std::uint32_t word = __ballot_sync(kAllLanes, changed);
    const State state = changed ? f.state(static_cast<VertexId>(v)) : State{};
    const std::uint32_t common = __ballot_sync(kAllLanes, changed && state == f.common);
    if (changed && state != f.common) message.states[v - message.first] = state, ++count;
    if (lane_id() == 0) message.words[group] = word & ~common, message.common_words[group] = common;
  }
  count = warp_sum(count);
  if (lane_id() == 0 && count != 0) atomicAdd(states, count);
}

/// Returns the count of an exchange's kernel, at the end of the executor's scratch; operators use the beginning.
inline unsigned long long* new_count(CudaExecutor& exec) {
  auto* const behind =
      reinterpret_cast<unsigned long long*>(static_cast<std::byte*>(exec.device_scratch()) + CudaExecutor::kScratchBytes);
  exec.fill_words(behind - 1, 0, 2);
  return behind - 1;
}
inline std::uint64_t counted_at(CudaExecutor& exec, const unsigned long long* count) {
  auto* const host = static_cast<unsigned long long*>(exec.host_scratch());
  exec.copy_to_host(host, count, sizeof(*host));
  return *host;
}

/// Publishes what f changed of [first, last): of the `count` that are `members`, where it has any, or else of all.
template <class F, class Counted>
auto publish(CudaExecutor& exec, const Counted& counted, std::uint64_t first, std::uint64_t last, std::uint64_t count,
             BitmapRef members, const F& f) {
  using State = ranks::StateOf<F>;
  StatesMessage<State> message{first, last, count};
  const std::size_t state_bytes = Declares<F, can::Share> ? ((last - first) * sizeof(State) + 15) / 16 * 16 : 0;
  const std::size_t bytes = state_bytes + (members.words != nullptr ? message.groups() * sizeof(std::uint32_t) : 0);
  std::byte* const room = exec.message_room(bytes);
  if (Declares<F, can::Share>) message.states = reinterpret_cast<State*>(room);
  if (members.words != nullptr) message.words = reinterpret_cast<std::uint32_t*>(room + state_bytes);
  if (first < last) launch(exec, warps(message.groups()), publish_kernel<F, State>, members, f, message);
  return StepMessage<State, Counted>{counted, message, {room, bytes}};
}

/// Publishes what a pass changed of a rank's `own` vertices.
template <class F, class Counted>
auto publish_changes(CudaExecutor& exec, const Counted& counted, const RankPart& own, const F& f) {
  using State = ranks::StateOf<F>;
  const std::uint64_t n = own.last - own.first;
  StatesMessage<State> message{.first = own.first, .last = own.last, .common = f.common};
  const std::size_t state_bytes = (n * sizeof(State) + 15) / 16 * 16;
  const std::size_t bytes = state_bytes + 2 * message.groups() * sizeof(std::uint32_t);
  std::byte* const room = exec.message_room(bytes);
  message.states = reinterpret_cast<State*>(room);
  message.words = reinterpret_cast<std::uint32_t*>(room + state_bytes);
  message.common_words = message.words + message.groups();
  unsigned long long* const count = new_count(exec);
  if (n != 0) launch(exec, warps(message.groups()), publish_changes_kernel<F, State>, f, message, count);
  message.count = counted_at(exec, count);
  return StepMessage<State, Counted>{counted, message, {room, bytes}};
}

/// Lists the members of a bitmap of `words` words, until `list` is full. Returns the number of members.
std::uint64_t list_members(CudaExecutor& exec, BitmapRef members, std::uint64_t words, VertexId* list, std::uint64_t room);

inline std::size_t bytes_of_list(std::uint64_t count) { return (count * sizeof(VertexId) + 15) / 16 * 16; }

/// Returns the longest list that is read faster than a bit for each of `n` vertices. Scattered states cost a sector each: of 3 M
/// of 134 M vertices a rank takes a list with states in 0.9 ms, bits and states in 2.2 (four H100).
template <class F>
std::uint64_t longest_list(std::uint64_t n) {
  return Declares<F, can::Share> ? n / 8 : n / (8 * sizeof(VertexId));
}

/// Returns room for a list of `count` vertices, and after it their states.
template <class F>
std::byte* list_room(CudaExecutor& exec, std::uint64_t count) {
  return exec.message_room(bytes_of_list(count) + count * sizeof(ranks::StateOf<F>));
}

/// Publishes what f changed at `count` vertices, which the beginning of their list_room() lists.
template <class F, class Counted>
auto publish_list(CudaExecutor& exec, const Counted& counted, std::uint64_t n, std::uint64_t count, std::byte* room, const F& f) {
  using State = ranks::StateOf<F>;
  const std::size_t list_bytes = bytes_of_list(count);
  StatesMessage<State> message{.first = 0, .last = n, .count = count};
  message.list = reinterpret_cast<VertexId*>(room);
  message.states = reinterpret_cast<State*>(room + list_bytes);
  if (count != 0) launch(exec, threads(count), publish_list_kernel<F, State>, f, message);
  return StepMessage<State, Counted>{counted, message, {room, list_bytes + count * sizeof(State)}};
}

/// Publishes what f changed at `members`, bits of `n` vertices.
template <class F, class Counted>
auto publish_members(CudaExecutor& exec, const Counted& counted, std::uint64_t n, BitmapRef members, const F& f) {
  const std::uint64_t most = longest_list<F>(n);
  std::byte* const room = list_room<F>(exec, most);
  const std::uint64_t count = list_members(exec, members, BitmapRef::words_for(n), reinterpret_cast<VertexId*>(room), most);
  if (count <= most) return publish_list(exec, counted, n, count, room, f);
  exec.take_back_message();
  return publish(exec, counted, 0, n, count, members, f);
}

}  // namespace graphrun::cuda::inline GR_IDS
