#include "exec/cuda/staged_copies.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "graphrun/core/parallel.hpp"

namespace graphrun::cuda {
namespace {

constexpr std::size_t kStageBytes = 2 << 20;

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

void finish_copy(cudaError_t status) {
  check(status, "copy a graph between host and GPU");
  check(cudaStreamSynchronize(cudaStreamPerThread), "copy a graph between host and GPU");
}

}  // namespace

template <class Copy>
void StagedCopies::for_each_piece(std::size_t count, std::size_t element_bytes, ThreadPool& pool, const Copy& copy) {
  stages_.resize(std::max(stages_.size(), static_cast<std::size_t>(pool.size())));
  const std::size_t piece = kStageBytes / element_bytes;
  parallel_chunks(pool, (count + piece - 1) / piece, 1, [&](std::size_t begin, std::size_t end, int rank) {
    check(cudaSetDevice(device_), "select the GPU");
    auto& stage = stages_[static_cast<std::size_t>(rank)];
    if (!stage) stage = std::make_unique<PinnedMemory>(kStageBytes);
    for (std::size_t i = begin; i < end; ++i) copy(stage->data(), i * piece, std::min(piece, count - i * piece));
  });
}

template <class T>
void StagedCopies::to_device(T* to, HostArray<const void> from, std::size_t count, ThreadPool& pool) {
  for_each_piece(count, sizeof(T), pool, [&](std::byte* stage, std::size_t begin, std::size_t some) {
    as_typed(from, [&](const auto* elements) { copy_elements(reinterpret_cast<T*>(stage), elements + begin, some); });
    finish_copy(cudaMemcpyAsync(to + begin, stage, some * sizeof(T), cudaMemcpyHostToDevice, cudaStreamPerThread));
  });
}

template <class T>
void StagedCopies::to_host(HostArray<void> to, const T* from, std::size_t count, ThreadPool& pool) {
  for_each_piece(count, sizeof(T), pool, [&](std::byte* stage, std::size_t begin, std::size_t some) {
    finish_copy(cudaMemcpyAsync(stage, from + begin, some * sizeof(T), cudaMemcpyDeviceToHost, cudaStreamPerThread));
    as_typed(to, [&](auto* elements) { copy_elements(elements + begin, reinterpret_cast<const T*>(stage), some); });
  });
}

template void StagedCopies::to_device(std::uint32_t*, HostArray<const void>, std::size_t, ThreadPool&);
template void StagedCopies::to_device(std::uint64_t*, HostArray<const void>, std::size_t, ThreadPool&);
template void StagedCopies::to_host(HostArray<void>, const std::uint32_t*, std::size_t, ThreadPool&);
template void StagedCopies::to_host(HostArray<void>, const std::uint64_t*, std::size_t, ThreadPool&);

}  // namespace graphrun::cuda
