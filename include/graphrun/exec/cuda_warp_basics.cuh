// A warp: its lanes, its place among the others, and sums over it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace graphrun::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kWarp = 32;

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % kWarp); }
__device__ inline std::uint64_t warp_id() { return (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) / kWarp; }
__device__ inline std::uint64_t warp_count() { return std::uint64_t{gridDim.x} * blockDim.x / kWarp; }

template <class T>
__device__ T warp_sum(T value) {
  for (int d = kWarp / 2; d > 0; d /= 2) value += __shfl_xor_sync(kAllLanes, value, d);
  return value;
}

}  // namespace graphrun::cuda
