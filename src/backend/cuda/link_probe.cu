// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "backend/cuda/link_probe.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_warp.cuh"

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr std::uint64_t kReads = 1 << 20;  // 128 MiB a burst: some milliseconds on any link

__global__ void random_reads(const std::uint32_t* memory, std::uint64_t lines, std::uint64_t reads, std::uint32_t seed,
                             std::uint32_t* sink) {
  std::uint32_t sum = 0;
  for (std::uint64_t i = warp_id(); i < reads; i += warp_count()) {
    std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed ^= mixed >> 27;
    sum += memory[mixed % lines * 32 + lane_id()];
  }
  if (sum == 0x12345678u) *sink = sum;  // keeps the reads alive
}

}  // namespace

double random_read_rate(CudaExecutor& exec, const void* memory, std::size_t bytes) {
  const auto stream = static_cast<cudaStream_t>(exec.stream());
  cudaEvent_t start = nullptr, stop = nullptr;
  check(cudaEventCreate(&start), "create an event");
  check(cudaEventCreate(&stop), "create an event");
  const std::uint64_t lines = bytes / 128;
  double best = 0;
  for (std::uint32_t round = 0; round < 4; ++round) {  // the first one warms up
    check(cudaEventRecord(start, stream), "record an event");
    launch(exec, warps(kReads), random_reads, static_cast<const std::uint32_t*>(memory), lines, kReads, round * 7919u,
           static_cast<std::uint32_t*>(exec.device_scratch()));
    check(cudaEventRecord(stop, stream), "record an event");
    check(cudaEventSynchronize(stop), "measure the link");
    float elapsed_ms = 0;
    check(cudaEventElapsedTime(&elapsed_ms, start, stop), "measure the link");
    if (round != 0) best = std::max(best, static_cast<double>(kReads) * 128 / (elapsed_ms * 1e6));
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return best;
}

}  // namespace graphrun::cuda::inline GR_IDS
