// Launching grids that are as large as the work and no larger than the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda {

inline constexpr unsigned kBlockThreads = 256;
inline constexpr unsigned kBlocksPerMultiprocessor = 8;  // 2048 threads: all a multiprocessor can hold

/// How many threads the work would keep busy.
struct Width {
  std::uint64_t threads;
};
inline Width threads(std::uint64_t count) { return {count}; }
inline Width warps(std::uint64_t count) { return {count * 32}; }

inline unsigned grid_for(const CudaExecutor& exec, Width width) {
  const std::uint64_t wanted = (width.threads + kBlockThreads - 1) / kBlockThreads;
  const std::uint64_t most = static_cast<std::uint64_t>(exec.multiprocessors()) * kBlocksPerMultiprocessor;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, most));
}

/// Work items a warp takes at a time: 32 when there are many, one when there would not be enough for every warp.
inline int items_per_warp(const CudaExecutor& exec, std::uint64_t items) {
  const std::uint64_t all_warps =
      static_cast<std::uint64_t>(exec.multiprocessors()) * kBlocksPerMultiprocessor * kBlockThreads / 32;
  return static_cast<int>(std::clamp<std::uint64_t>(items / all_warps, 1, 32));
}

/// Kernels stride over their work, so any grid is correct.
template <class... Parameters, class... Arguments>
void launch(CudaExecutor& exec, Width width, void (*kernel)(Parameters...), Arguments&&... arguments) {
  kernel<<<grid_for(exec, width), kBlockThreads, 0, static_cast<cudaStream_t>(exec.stream())>>>(
      std::forward<Arguments>(arguments)...);
  check(cudaGetLastError(), "launch a kernel");
}

}  // namespace graphrun::cuda
