// SPDX-License-Identifier: Apache-2.0
// Launches grids as large as the work and no larger than the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

inline constexpr unsigned kClusterBlocks = 8;  // the most that all devices with clusters take

/// Returns how many clusters of a kernel the device holds at a time, 0 where it or the kernel's code has none (compute capability
/// below 9.0). Remembers its answers: asking takes longer than a small search.
unsigned most_clusters(int device, const void* kernel, unsigned block_threads);

}  // namespace graphrun::cuda

namespace graphrun::cuda::inline GR_IDS {

inline constexpr unsigned kBlockThreads = 256;
inline constexpr unsigned kBlocksPerMultiprocessor = 8;  // 2048 threads: all a multiprocessor can hold
inline constexpr unsigned kTogetherThreads = 512;        // of a block that waits for others

/// The number of threads that the work keeps busy.
struct Width {
  std::uint64_t threads;
};
inline Width threads(std::uint64_t count) { return {count}; }
inline Width warps(std::uint64_t count) { return {count * kWarp}; }

inline unsigned grid_for(const CudaExecutor& exec, Width width) {
  const std::uint64_t wanted = (width.threads + kBlockThreads - 1) / kBlockThreads;
  const std::uint64_t most = static_cast<std::uint64_t>(exec.multiprocessors()) * kBlocksPerMultiprocessor;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, most));
}

/// Groups of `count` work items: a warp takes a group at a time, an item a lane.
struct Groups {
  std::uint64_t count;
  unsigned each;

  __host__ __device__ std::uint64_t size() const { return (count + each - 1) / each; }
  /// Returns this lane's item of a group; `count` where it has none.
  __device__ std::uint64_t item(std::uint64_t group) const {
    const auto lane = static_cast<unsigned>(lane_id());
    const std::uint64_t at = group * each + lane;
    return lane < each && at < count ? at : count;
  }
  /// Does the same for groups of items that lie far apart, so that neighbouring long ones are in different groups.
  __device__ std::uint64_t spread_item(std::uint64_t group) const {
    const auto lane = static_cast<unsigned>(lane_id());
    const std::uint64_t at = lane * size() + group;
    return lane < each && at < count ? at : count;
  }
};
inline Width warps(const Groups& groups) { return warps(groups.size()); }

/// Calls body(i, word) for each item i of a group whose word, read(i), has any bit, by all lanes of a warp.
template <class Read, class Body>
__device__ void for_each_busy_word(const Groups& words, std::uint64_t group, const Read& read, const Body& body) {
  const std::uint64_t item = words.item(group);
  const std::uint32_t mine = item < words.count ? read(item) : 0;
  for (unsigned left = __ballot_sync(kAllLanes, mine != 0); left != 0; left &= left - 1) {
    const int k = __ffs(static_cast<int>(left)) - 1;
    body(group * words.each + k, __shfl_sync(kAllLanes, mine, k));
  }
}

/// Calls body(i, word) for each i whose word, read(i), has any bit, by all lanes of a warp. A lane reads a word: in the memory of
/// another GPU each read takes over a microsecond. (With a word a warp, a rank took 0.36 ms to find a few bits among 134 M on an
/// H100, and its own part of the level took 0.3.)
template <class Read, class Body>
__device__ void for_each_busy_word(const Groups& words, const Read& read, const Body& body) {
  for (std::uint64_t group = warp_id(); group < words.size(); group += warp_count()) for_each_busy_word(words, group, read, body);
}

/// Returns groups of 32 for many items, of one when there would not be enough for every warp.
inline Groups groups_of(const CudaExecutor& exec, std::uint64_t items) {
  const std::uint64_t all_warps =
      static_cast<std::uint64_t>(exec.multiprocessors()) * kBlocksPerMultiprocessor * kBlockThreads / kWarp;
  return {items, static_cast<unsigned>(std::clamp<std::uint64_t>(items / all_warps, 1, kWarp))};
}

/// Kernels stride over their work, so any grid is correct.
struct Grid {
  unsigned blocks;
  unsigned block_threads;
  unsigned layers = 1;  ///< blocks of each blockIdx.y
};

template <class... Parameters, class... Arguments>
void launch(CudaExecutor& exec, Grid grid, void (*kernel)(Parameters...), Arguments&&... arguments) {
  exec.before_launch(reinterpret_cast<const void*>(kernel));
  kernel<<<dim3(grid.blocks, grid.layers), grid.block_threads, 0, static_cast<cudaStream_t>(exec.stream())>>>(
      std::forward<Arguments>(arguments)...);
  check(cudaGetLastError(), "launch a kernel");
}

template <class... Parameters, class... Arguments>
void launch(CudaExecutor& exec, Width width, void (*kernel)(Parameters...), Arguments&&... arguments) {
  launch(exec, Grid{grid_for(exec, width), kBlockThreads}, kernel, std::forward<Arguments>(arguments)...);
}

void load_frontier_kernels();  ///< loads CudaFrontier's kernels

/// Tag of the source that instantiates an algorithm.
template <class Algorithm>
__global__ void module_kernel() {}

namespace {
__global__ void source_kernel() {}
[[maybe_unused]] const bool kIsAdded = add_module(reinterpret_cast<const void*>(&source_kernel));
}  // namespace

/// Groups of 1, 2, 4, ... items, for kernels whose steps are so short that a division counts.
struct SmallGroups {
  unsigned count;
  int shift = 3;

  /// Makes groups with about as many edges as a warp reads at a time; larger where there are not enough warps.
  __device__ SmallGroups(std::uint64_t items, EdgeId edges) : count(static_cast<unsigned>(items)) {
    while (shift > 0 && edges >> (5 - shift) > items) --shift;
    while (shift < 5 && items >> shift > warp_count()) ++shift;
  }
  __device__ unsigned size() const { return (count + (1u << shift) - 1) >> shift; }
  __device__ unsigned item(std::uint64_t group) const {
    const auto lane = static_cast<unsigned>(lane_id());
    const unsigned at = (static_cast<unsigned>(group) << shift) + lane;
    return lane >> shift == 0 && at < count ? at : count;
  }
};

/// Launches a block for each multiprocessor, all at once, so that they may wait for each other. The runtime refuses a kernel of
/// which the device cannot hold as many.
template <class... Parameters>
void launch_together(CudaExecutor& exec, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  const auto* const function = reinterpret_cast<const void*>(kernel);
  exec.before_launch(function);
  check(cudaLaunchCooperativeKernel(function, static_cast<unsigned>(exec.multiprocessors()), kTogetherThreads, pointers, 0,
                                    static_cast<cudaStream_t>(exec.stream())),
        "launch a kernel whose blocks wait for each other");
}

/// Does the same with blocks of `block_threads`, which are in clusters of kClusterBlocks where the device and the kernel's code
/// have clusters; these may leave a few multiprocessors without a block.
template <class... Parameters>
void launch_in_clusters(CudaExecutor& exec, unsigned block_threads, void (*kernel)(Parameters...),
                        std::type_identity_t<Parameters>... arguments) {
  const auto* const function = reinterpret_cast<const void*>(kernel);
  exec.before_launch(function);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {kClusterBlocks, 1, 1};
  const unsigned clusters = most_clusters(exec.device(), function, block_threads);
  cudaLaunchConfig_t config{};
  config.gridDim = clusters == 0 ? static_cast<unsigned>(exec.multiprocessors()) : clusters * kClusterBlocks;
  config.blockDim = block_threads;
  config.stream = static_cast<cudaStream_t>(exec.stream());
  config.attrs = attributes;
  config.numAttrs = clusters == 0 ? 1 : 2;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "launch a kernel in clusters");
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// See operators.hpp.
template <class Algorithm>
void load_kernels(CudaExecutor&) {
  cuda::load_modules_of(reinterpret_cast<const void*>(&cuda::module_kernel<Algorithm>));
  cuda::load_frontier_kernels();
}

}  // namespace graphrun::inline GR_IDS
