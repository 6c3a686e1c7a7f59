// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/device_paged_array.hpp"

#include <cuda_runtime.h>

#include "core/raise.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun {
namespace {

/// Returns memory at device addresses. Throws UsageError when kernels, or host threads that copy for them, do not reach it.
MemoryStretch as_device_sees(const MemoryStretch& memory, MemoryFabric fabric) {
  if (memory.bytes.empty()) return memory;
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, memory.bytes.data()), "examine memory");
  if (known.type != cudaMemoryTypeHost && known.type != cudaMemoryTypeManaged)
    throw UsageError("kernels reach host memory only where it is pinned or managed: the array's memory is neither");
  if (known.type == cudaMemoryTypeManaged && fabric == MemoryFabric::proxy) {
    // Copy engines wait for kernels to end before they touch it, and kernels would wait for the copies.
    throw UsageError("host threads cannot copy managed memory while kernels run: pin the array's memory, or let warps copy (sm)");
  }
  auto* const begin = static_cast<std::byte*>(known.devicePointer);
  constexpr std::uintptr_t kAlignment = 16;  // of what a lane copies at a time
  if (reinterpret_cast<std::uintptr_t>(begin) % kAlignment != 0)
    raise<UsageError>("the array's memory begins at an address that {} does not divide", kAlignment);
  const std::span<std::byte> seen(begin, memory.bytes.size());
  return memory.writable != nullptr ? MemoryStretch(seen) : MemoryStretch(std::span<const std::byte>(seen));
}

}  // namespace

std::unique_ptr<DevicePager> make_pager(const ArraySource& source, const DevicePagedArrayOptions& options, CudaExecutor& exec) {
  DevicePagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.queues = options.queues;
  how.queue_depth = options.queue_depth;
  how.controllers = options.controllers;
  how.deadline = options.deadline;
  const auto files = source.files();
  std::vector<PagedColumn> columns{{.bytes = source.bytes(), .fresh = source.fresh()}};
  if (!files.empty()) {
    return std::make_unique<DevicePager>(how, columns, exec, [&](std::uint32_t depth) {
      return options.open_engine ? options.open_engine(files, depth) : open_uring_engine(files, depth);
    });
  }
  const MemoryStretch seen = as_device_sees(source.memory(), options.fabric);
  how.delivery = options.fabric == MemoryFabric::sm ? Delivery::source : Delivery::frames;
  columns.front().source = seen.bytes.data();
  columns.front().target = seen.writable;
  return std::make_unique<DevicePager>(how, columns, exec,
                                       [&](std::uint32_t depth) { return cuda::open_memory_engine({seen}, depth); });
}

}  // namespace graphrun
