// Host memory that the device reaches under the same address.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::cuda {

/// Zeroed. Throws RunError.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes) : bytes_(bytes) {
    check(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "pin host memory");
    std::memset(data_, 0, bytes);
  }
  ~PinnedMemory() { cudaFreeHost(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::span<std::byte> span() const { return {data(), bytes_}; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Pins memory that belongs to others, for all GPUs; each needs its address there (cudaHostGetDevicePointer). The system pins
/// memory once, so stretches that begin at one address are counted: the last unpin() lets it go. `bytes` is no more than the
/// first pin() of the address had. Any thread. Throws RunError.
void pin(void* memory, std::size_t bytes);
void unpin(void* memory) noexcept;

}  // namespace graphrun::cuda
