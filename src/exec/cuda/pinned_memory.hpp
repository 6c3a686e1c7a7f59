// SPDX-License-Identifier: Apache-2.0
// Host memory with the same address on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::cuda {

/// Zeroed host memory, pinned for its lifetime. Throws RunError.
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

/// Pins memory of the caller for all GPUs; each needs its own address of it (cudaHostGetDevicePointer). Counts pins of an
/// address, which the system pins once: the last unpin() ends it. `bytes` is at most the first pin()'s. Any thread. Throws
/// RunError.
void pin(void* memory, std::size_t bytes);
void unpin(void* memory) noexcept;

}  // namespace graphrun::cuda
