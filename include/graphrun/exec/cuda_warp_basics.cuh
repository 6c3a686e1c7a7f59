// SPDX-License-Identifier: Apache-2.0
// Warps: lanes, indices, and sums.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>

namespace graphrun::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kWarp = 32;

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % kWarp); }
__device__ inline std::uint64_t warp_id() { return (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) / kWarp; }
__device__ inline std::uint64_t warp_count() { return std::uint64_t{gridDim.x} * blockDim.x / kWarp; }

// All lanes call these; lane 0 has the result.

template <class T>
__device__ T warp_sum(T value) {
  typename cub::WarpReduce<T>::TempStorage none;
  return cub::WarpReduce<T>(none).Sum(value);
}

template <class T>
__device__ T warp_min(T value) {
  typename cub::WarpReduce<T>::TempStorage none;
  return cub::WarpReduce<T>(none).Reduce(value, ::cuda::minimum<>{});
}

}  // namespace graphrun::cuda
