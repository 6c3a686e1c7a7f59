#include <cuda_runtime.h>
#include <fmt/format.h>

#include <exception>
#include <utility>

#include "cache/array_file.hpp"
#include "graphrun/cache/device_paged_array.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun {
namespace {

DevicePagerOptions pager_options(const DevicePagedArrayOptions& options) {
  DevicePagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.queues = options.queues;
  how.queue_depth = options.queue_depth;
  how.controllers = options.controllers;
  how.deadline = options.deadline;
  return how;
}

/// The memory as kernels name it. Throws UsageError when they, or the host threads that copy for them, do not reach it.
MemoryStretch as_device_sees(const MemoryStretch& memory, MemoryFabric fabric) {
  if (memory.bytes.empty()) return memory;
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, memory.bytes.data()), "examine memory");
  if (known.type != cudaMemoryTypeHost && known.type != cudaMemoryTypeManaged) {
    throw UsageError("kernels reach host memory only where it is pinned or managed: the array's memory is neither");
  }
  if (known.type == cudaMemoryTypeManaged && fabric == MemoryFabric::proxy) {
    // Copy engines wait for kernels to end before they touch it, and kernels would wait for the copies.
    throw UsageError("host threads cannot copy managed memory while kernels run: pin the array's memory, or let warps copy (sm)");
  }
  auto* const begin = static_cast<std::byte*>(known.devicePointer);
  constexpr std::uintptr_t kAlignment = 16;  // of what a lane copies at a time
  if (reinterpret_cast<std::uintptr_t>(begin) % kAlignment != 0) {
    throw UsageError(fmt::format("the array's memory begins at an address that {} does not divide", kAlignment));
  }
  const std::span<std::byte> seen(begin, memory.bytes.size());
  return memory.writable != nullptr ? MemoryStretch(seen) : MemoryStretch(std::span<const std::byte>(seen));
}

}  // namespace

DevicePagedStore DevicePagedStore::open(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options) {
  return {ArrayFile::open(path, options.writable, options.page_bytes), false, exec, options};
}

DevicePagedStore DevicePagedStore::create(const std::string& path, std::uint64_t bytes, CudaExecutor& exec,
                                          DevicePagedArrayOptions options) {
  options.writable = true;
  DevicePagedStore store(ArrayFile::create(path, bytes, options.page_bytes), true, exec, options);
  store.file_->publish();
  return store;
}

DevicePagedStore DevicePagedStore::over(std::span<std::byte> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options) {
  return {options.writable ? MemoryStretch(memory) : MemoryStretch(std::span<const std::byte>(memory)), exec, options};
}

DevicePagedStore DevicePagedStore::over(std::span<const std::byte> memory, CudaExecutor& exec,
                                        const DevicePagedArrayOptions& options) {
  if (options.writable) throw UsageError("an array over memory that is only to be read cannot be writable");
  return {MemoryStretch(memory), exec, options};
}

DevicePagedStore::DevicePagedStore(std::unique_ptr<ArrayFile> file, bool fresh, CudaExecutor& exec,
                                   const DevicePagedArrayOptions& options)
    : file_(std::move(file)), name_(file_->path()), bytes_(file_->bytes()), writable_(options.writable) {
  std::vector<PagedColumn> columns{{.offset = 0, .bytes = bytes_, .first_page = 0, .fresh = fresh}};
  const std::vector<StoreFile> files{{file_->path(), file_->fd(), writable_}};
  pager_ = std::make_unique<DevicePager>(pager_options(options), columns, exec, [&](std::uint32_t depth) {
    return options.open_engine ? options.open_engine(files, depth) : open_uring_engine(files, depth);
  });
}

DevicePagedStore::DevicePagedStore(const MemoryStretch& memory, CudaExecutor& exec, const DevicePagedArrayOptions& options)
    : name_(fmt::format("{} of host memory", format_bytes(memory.bytes.size()))),
      bytes_(memory.bytes.size()),
      writable_(options.writable) {
  check_page_bytes(options.page_bytes);
  const MemoryStretch seen = as_device_sees(memory, options.fabric);
  DevicePagerOptions how = pager_options(options);
  how.delivery = options.fabric == MemoryFabric::sm ? Delivery::source : Delivery::frames;
  std::vector<PagedColumn> columns{{.offset = 0, .bytes = bytes_, .source = seen.bytes.data(), .target = seen.writable}};
  pager_ = std::make_unique<DevicePager>(how, columns, exec,
                                         [&](std::uint32_t depth) { return cuda::open_memory_engine({seen}, depth); });
}

DevicePagedStore::DevicePagedStore(DevicePagedStore&&) noexcept = default;

DevicePagedStore::~DevicePagedStore() {
  if (!pager_) return;  // moved from
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(fmt::format("{}: what was written last is lost: {}", name_, error.what()));
  }
}

void DevicePagedStore::flush() {
  if (!writable_) return;
  pager_->flush();
  if (file_) file_->sync();
}

}  // namespace graphrun
