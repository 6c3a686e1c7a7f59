// SPDX-License-Identifier: Apache-2.0
// Copies long arrays between pageable host memory and a device, with all threads of a pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "exec/cuda/pinned_memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/arc_sorter.hpp"

namespace graphrun::cuda {

template <class To, class From>
void copy_elements(To* to, const From* from, std::size_t count) {
  if constexpr (sizeof(To) == sizeof(From)) {
    std::memcpy(to, from, count * sizeof(To));
  } else {
    std::transform(from, from + count, to, [](From element) { return static_cast<To>(element); });
  }
}

/// Calls use() with a pointer to the first element, of its real type.
template <class Void, class Use>
void as_typed(HostArray<Void> array, const Use& use) {
  using Narrow = std::conditional_t<std::is_const_v<Void>, const std::uint32_t, std::uint32_t>;
  using Wide = std::conditional_t<std::is_const_v<Void>, const std::uint64_t, std::uint64_t>;
  if (array.wide) {
    use(static_cast<Wide*>(array.data));
  } else {
    use(static_cast<Narrow*>(array.data));
  }
}

inline void finish_copy(cudaError_t status) {
  check(status, "copy a graph between host and GPU");
  check(cudaStreamSynchronize(cudaStreamPerThread), "copy a graph between host and GPU");
}

/// Copies with threads that each have a piece of pinned memory: one copies in host memory while others use the link. Converts
/// element widths. Kernels that write the source must have ended.
class StagedCopies {
 public:
  explicit StagedCopies(int device) : device_(device) {}

  template <class T>
  void to_device(T* to, HostArray<const void> from, std::size_t count, ThreadPool& pool) {
    for_each_piece(count, sizeof(T), pool, [&](std::byte* stage, std::size_t begin, std::size_t some) {
      as_typed(from, [&](const auto* elements) { copy_elements(reinterpret_cast<T*>(stage), elements + begin, some); });
      finish_copy(cudaMemcpyAsync(to + begin, stage, some * sizeof(T), cudaMemcpyHostToDevice, cudaStreamPerThread));
    });
  }
  template <class T>
  void to_host(HostArray<void> to, const T* from, std::size_t count, ThreadPool& pool) {
    for_each_piece(count, sizeof(T), pool, [&](std::byte* stage, std::size_t begin, std::size_t some) {
      finish_copy(cudaMemcpyAsync(stage, from + begin, some * sizeof(T), cudaMemcpyDeviceToHost, cudaStreamPerThread));
      as_typed(to, [&](auto* elements) { copy_elements(elements + begin, reinterpret_cast<const T*>(stage), some); });
    });
  }

 private:
  static constexpr std::size_t kStageBytes = 2 << 20;

  /// Calls copy(stage, begin, count) for pieces of elements that fit a stage.
  template <class Copy>
  void for_each_piece(std::size_t count, std::size_t element_bytes, ThreadPool& pool, const Copy& copy) {
    stages_.resize(std::max(stages_.size(), static_cast<std::size_t>(pool.size())));
    const std::size_t piece = kStageBytes / element_bytes;
    parallel_chunks(pool, (count + piece - 1) / piece, 1, [&](std::size_t begin, std::size_t end, int rank) {
      check(cudaSetDevice(device_), "select the GPU");
      auto& stage = stages_[static_cast<std::size_t>(rank)];
      if (!stage) stage = std::make_unique<PinnedMemory>(kStageBytes);
      for (std::size_t i = begin; i < end; ++i) copy(stage->data(), i * piece, std::min(piece, count - i * piece));
    });
  }

  int device_;
  std::vector<std::unique_ptr<PinnedMemory>> stages_;  // one a thread
};

}  // namespace graphrun::cuda
