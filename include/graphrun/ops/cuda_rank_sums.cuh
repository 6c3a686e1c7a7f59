// SPDX-License-Identifier: Apache-2.0
// Sums of arrays over ranks on GPUs (add_over_ranks). Each rank publishes its elements in its GPU's memory, where others read
// them as after a step (cuda_ranks.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Sums: each rank publishes its share and adds up all shares.
template <class T>
struct RankSums {
  using Can = Capabilities<can::Share>;
  T* of;
  GR_HD T state(VertexId i) const { return of[i]; }
  GR_HD void take(VertexId i, T share) const { of[i] += share; }
};

/// Sets a bit for each element that is not zero. A warp takes 32.
template <class T>
__global__ void note_elements_kernel(const T* array, std::uint64_t count, std::uint32_t* words) {
  for (std::uint64_t group = warp_id(); group < BitmapRef::words_for(count); group += warp_count()) {
    const std::uint64_t i = group * kWarp + lane_id();
    const std::uint32_t word = __ballot_sync(kAllLanes, i < count && array[i] != T{});
    if (lane_id() == 0) words[group] = word;
  }
}

/// Publishes `count` elements; where few of them are not zero, a list of these.
template <class T>
auto publish_share(CudaExecutor& exec, const RankSums<T>& sums, std::uint64_t count) {
  constexpr std::uint64_t kFew = 1 << 9;  // fewer elements than this are published whole
  constexpr std::uint64_t kNothing = 0;   // is counted
  if (count >= kFew) {
    const std::uint64_t most = longest_list<RankSums<T>>(count);
    const std::uint64_t words = BitmapRef::words_for(count);
    std::byte* const room = list_room<RankSums<T>>(exec, most);
    const BitmapRef noted{reinterpret_cast<std::uint32_t*>(room + bytes_of_list(most))};  // until the elements are there
    launch(exec, warps(words), note_elements_kernel<T>, sums.of, count, noted.words);
    const std::uint64_t found = list_members(exec, noted, words, reinterpret_cast<VertexId*>(room), most);
    if (found <= most) return publish_list(exec, kNothing, count, found, room, sums);
    exec.take_back_message();
  }
  return publish(exec, kNothing, 0, count, count, BitmapRef{}, sums);
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class T>
void add_over_ranks(CudaExecutor& exec, T* array, std::size_t n) {
  if (exec.part().is_single_rank()) return;
  // A VertexId names each element, and publish() rounds up to 16 bytes.
  const std::size_t most = std::min(exec.longest_message() / 16 * (16 / sizeof(T)), std::size_t{1} << 31);
  for (std::size_t first = 0; first < n; first += most) {
    const std::size_t count = std::min(most, n - first);
    const cuda::RankSums<T> sums{array + first};
    const auto mine = cuda::publish_share(exec, sums, count);
    exec.fill_words(sums.of, 0, count * sizeof(T) / sizeof(std::uint32_t));
    const auto add = [&](const cuda::StatesMessage<T>& share) {
      if (share.count == 0) return;
      const cuda::StatesOfOthers<T> one{{share}, 1};
      cuda::launch(exec, cuda::threads(share.count), cuda::take_states_kernel<cuda::RankSums<T>, T>, one, sums);
    };
    cuda::exchange_states(exec, mine, add, cuda::Takes::mine_too);
  }
}

}  // namespace graphrun::inline GR_IDS
