// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include "backend/cuda/edge_memory.hpp"
#include "exec/cuda/pinned_memory.hpp"
#include "fault_parts/gpu_faults.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{2} << 20;

/// Loads a byte of every block, one after another: each load waits for the one before.
__global__ void touch_blocks(const unsigned char* memory, std::uint64_t blocks, unsigned* sum) {
  std::uint64_t at = 0;
  unsigned added = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const unsigned value = *static_cast<const volatile unsigned char*>(memory + at);
    added += value;
    at += kBlockBytes + value;  // zero: the compiler does not know
  }
  *sum = added;
}

}  // namespace

GpuFault time_gpu_faults(std::uint64_t faults) {
  CudaExecutor exec(0);
  ThreadPool pool(0);
  const std::uint64_t bytes = faults * kBlockBytes;
  if (const std::string why = cuda::why_not_managed(bytes, 0, true); !why.empty())
    throw UnavailableError("managed memory cannot be had: " + why);
  const auto zeros = Column<std::byte>::allocate(bytes);
  const cuda::EdgeMemory managed = cuda::EdgeMemory::managed_copy(zeros.data(), bytes, pool);
  DeviceArray<unsigned> sum(1);
  const auto* const memory = static_cast<const unsigned char*>(managed.host_data());
  const auto touch = [&](std::uint64_t blocks) {
    cuda::check(cudaDeviceSynchronize(), "wait");
    const Timer timer;
    touch_blocks<<<1, 1, 0, static_cast<cudaStream_t>(exec.stream())>>>(memory, blocks, sum.data());
    exec.synchronize();
    return timer.elapsed_ms() * 1e3;
  };
  touch(1);  // loads the kernel
  managed.prefetch_to_host(exec.stream());
  exec.synchronize();
  GpuFault found;
  const double cold = touch(faults), warm = touch(faults);
  found.total_us = (cold - warm) / static_cast<double>(faults);

  const cuda::PinnedMemory host(kGpuFaultBytes);
  const DeviceArray<std::byte> device(kGpuFaultBytes);
  const auto copy_all = [&] {
    const Timer timer;
    for (std::uint64_t i = 0; i < faults; ++i)
      cuda::check(cudaMemcpyAsync(device.data(), host.data(), kGpuFaultBytes, cudaMemcpyHostToDevice,
                                  static_cast<cudaStream_t>(exec.stream())),
                  "copy");
    exec.synchronize();
    return timer.elapsed_ms() * 1e3 / static_cast<double>(faults);
  };
  copy_all();
  found.transfer_us = copy_all();
  return found;
}

}  // namespace graphrun::bench
