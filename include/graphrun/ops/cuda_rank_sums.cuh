// How ranks on GPUs add up arrays (add_over_ranks). Each hands out its elements in the memory of its GPU, where the others read
// them, as after a step (cuda_ranks.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// `count` elements of an array that a rank hands out: those that a list names, where all others are zeros, or the first ones.
template <class T>
struct ElementsMessage {
  std::uint64_t count = 0;
  const VertexId* list = nullptr;  ///< null: the first ones
  T* values = nullptr;
  CudaExecutor::HandedOut handed_out;

  __device__ std::uint64_t place(std::uint64_t i) const { return list == nullptr ? i : list[i]; }
  /// The same, where it is read in another room.
  ElementsMessage in(const std::byte* other) const {
    return {count, moved(list, handed_out.room, other), moved(values, handed_out.room, other), handed_out};
  }
};

/// A bit for each element that is not zero. A warp takes 32.
template <class T>
__global__ void note_elements_kernel(const T* array, std::uint64_t count, std::uint32_t* words) {
  for (std::uint64_t group = warp_id(); group < BitmapRef::words_for(count); group += warp_count()) {
    const std::uint64_t i = group * kWarp + lane_id();
    const std::uint32_t word = __ballot_sync(kAllLanes, i < count && array[i] != T{});
    if (lane_id() == 0) words[group] = word;
  }
}
template <class T>
__global__ void pick_elements_kernel(const T* array, ElementsMessage<T> message) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < message.count; i += stride)
    message.values[i] = array[message.place(i)];
}
template <class T>
__global__ void add_elements_kernel(T* sums, ElementsMessage<T> message) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < message.count; i += stride)
    sums[message.place(i)] += message.values[i];
}

/// Hands out `count` elements; where few of them are not zero, a list of these.
template <class T>
ElementsMessage<T> hand_out_elements(CudaExecutor& exec, const T* array, std::uint64_t count) {
  constexpr std::uint64_t kListed = 16;   // at most one element in so many is listed
  constexpr std::uint64_t kFew = 1 << 9;  // fewer elements than this are handed out whole
  std::byte* const room = exec.message_room(count * sizeof(T));
  ElementsMessage<T> message{.count = count, .values = reinterpret_cast<T*>(room)};
  if (const std::uint64_t most = count / kListed; count >= kFew) {
    auto* const list = reinterpret_cast<VertexId*>(room);
    const BitmapRef noted{reinterpret_cast<std::uint32_t*>(room + bytes_of_list(most))};
    const std::uint64_t words = BitmapRef::words_for(count);
    launch(exec, warps(words), note_elements_kernel<T>, array, count, noted.words);
    const std::uint64_t found = list_members(exec, noted, words, list, most);
    if (found <= most) message = {.count = found, .list = list, .values = reinterpret_cast<T*>(room + bytes_of_list(found))};
  }
  if (message.count != 0) launch(exec, threads(message.count), pick_elements_kernel<T>, array, message);
  message.handed_out = {room, static_cast<std::size_t>(reinterpret_cast<std::byte*>(message.values + message.count) - room)};
  return message;
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class T>
void add_over_ranks(CudaExecutor& exec, T* array, std::size_t n) {
  if (exec.part().alone()) return;
  const std::size_t most = std::min(exec.longest_message() / sizeof(T), std::size_t{1} << 31);  // a VertexId names each
  const auto me = static_cast<std::size_t>(exec.part().exchange->rank());
  for (std::size_t first = 0; first < n; first += most) {
    const std::size_t count = std::min(most, n - first);
    const auto mine = cuda::hand_out_elements(exec, array + first, count);
    exec.fill_words(array + first, 0, count * sizeof(T) / sizeof(std::uint32_t));
    exec.finish();
    const auto all = ranks::gather_from_ranks(exec, mine);
    std::vector<CudaExecutor::HandedOut> handed_out;
    for (const auto& each : all) handed_out.push_back(each.handed_out);
    const std::vector<const std::byte*> rooms = exec.reach(handed_out);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const cuda::ElementsMessage<T> theirs = rank == me ? mine : all[rank].in(rooms[rank]);
      if (theirs.count != 0) cuda::launch(exec, cuda::threads(theirs.count), cuda::add_elements_kernel<T>, array + first, theirs);
      if (rank != me && !exec.brings_messages()) exec.part().exchange->count_received(rank, theirs.handed_out.bytes);
    }
  }
}

}  // namespace graphrun::inline GR_IDS
