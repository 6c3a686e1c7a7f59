// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/edge_memory.hpp"

#include <cuda_runtime.h>

#include <cstring>
#include <string>

#include "exec/cuda/pinned_memory.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr std::size_t kManagedMargin = std::size_t{1} << 30;
constexpr std::size_t kStateBytesPerVertex = 100;  // offsets, queues, values: largest for 64 concurrent searches

/// Returns the kernel's estimate of memory for new allocations; the largest number where it gives none.
std::size_t available_host_bytes() { return read_entry("/proc/meminfo", "MemAvailable:").value_or(~std::size_t{0} >> 10) << 10; }

void copy_in_parallel(void* to, const void* from, std::size_t bytes, ThreadPool& pool) {
  parallel_chunks(pool, bytes, std::size_t{4} << 20, [&](std::size_t begin, std::size_t end, int) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

/// Converts `device` to the type of this runtime version.
#if CUDART_VERSION >= 13000
cudaMemLocation location(int device) {
  if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
  return {cudaMemLocationTypeDevice, device};
}
#else
int location(int device) { return device; }
#endif

void advise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  check(cudaMemAdvise(const_cast<void*>(memory), bytes, advice, location(device)), "advise on managed memory");
}

void prefetch(const void* memory, std::size_t bytes, int device, void* stream) {
  const auto in = static_cast<cudaStream_t>(stream);
#if CUDART_VERSION >= 13000
  check(cudaMemPrefetchAsync(memory, bytes, location(device), 0, in), "prefetch managed memory");
#else
  check(cudaMemPrefetchAsync(memory, bytes, location(device), in), "prefetch managed memory");
#endif
}

}  // namespace

std::size_t free_device_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free device memory");
  return free_bytes;
}

std::size_t state_and_margin(std::uint64_t num_vertices) { return kManagedMargin + num_vertices * kStateBytesPerVertex; }

std::string why_no_paging() {
  int device = 0, concurrent = 0;
  check(cudaGetDevice(&device), "ask for the GPU");
  check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device), "examine the GPU");
  return concurrent != 0 ? "" : "this GPU or driver cannot page it on demand";
}

std::string why_not_managed(std::size_t bytes, std::uint64_t num_vertices, bool beside_original) {
  if (std::string why = why_no_paging(); !why.empty()) return why;
  if (const std::size_t free_bytes = free_device_bytes(); bytes + state_and_margin(num_vertices) > free_bytes)
    return "the card has only " + format_bytes(free_bytes) + " free, and more managed memory than that can hang it";
  if (const std::size_t available = available_host_bytes(); beside_original && bytes + kManagedMargin > available)
    return "the host has only " + format_bytes(available) + " available for a copy";
  return {};
}

EdgeMemory EdgeMemory::uninitialised(std::size_t bytes) {
  EdgeMemory made;
  if (bytes == 0) return made;
  made.device_pointer_ = allocate_device(bytes);
  made.kind_ = Kind::device;
  made.bytes_ = bytes;
  return made;
}

EdgeMemory EdgeMemory::on_device(const void* from, std::size_t bytes) {
  EdgeMemory made = uninitialised(bytes);
  if (bytes == 0) return made;
  check(cudaMemcpy(made.device_pointer_, from, bytes, cudaMemcpyHostToDevice), "copy edges to the GPU");
  return made;
}

EdgeMemory EdgeMemory::register_host(const void* from, std::size_t bytes) {
  EdgeMemory made;
  if (bytes == 0) return made;
  void* memory = const_cast<void*>(from);
  pin(memory, bytes);
  made.kind_ = Kind::registered;
  made.host_pointer_ = memory;
  made.bytes_ = bytes;
  check(cudaHostGetDevicePointer(&made.device_pointer_, memory, 0), "map host memory to the GPU");
  return made;
}

EdgeMemory EdgeMemory::pinned_copy(const void* from, std::size_t bytes, ThreadPool& pool) {
  EdgeMemory made;
  if (bytes == 0) return made;
  check(cudaHostAlloc(&made.host_pointer_, bytes, cudaHostAllocMapped),
        ("allocate " + format_bytes(bytes) + " of pinned host memory").c_str());
  made.kind_ = Kind::pinned;
  made.bytes_ = bytes;
  check(cudaHostGetDevicePointer(&made.device_pointer_, made.host_pointer_, 0), "map host memory to the GPU");
  copy_in_parallel(made.host_pointer_, from, bytes, pool);
  return made;
}

EdgeMemory EdgeMemory::managed_copy(const void* from, std::size_t bytes, ThreadPool& pool) {
  EdgeMemory made;
  if (bytes == 0) return made;
  check(cudaMallocManaged(&made.host_pointer_, bytes, cudaMemAttachGlobal),
        ("allocate " + format_bytes(bytes) + " of managed memory").c_str());
  made.device_pointer_ = made.host_pointer_;
  made.kind_ = Kind::managed;
  made.bytes_ = bytes;
  advise(made.host_pointer_, bytes, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
  copy_in_parallel(made.host_pointer_, from, bytes, pool);
  advise(made.host_pointer_, bytes, cudaMemAdviseUnsetPreferredLocation, cudaCpuDeviceId);
  return made;
}

void EdgeMemory::keep_on_host(int device) const {
  if (kind_ != Kind::managed) return;
  advise(data(), bytes_, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
  advise(data(), bytes_, cudaMemAdviseSetAccessedBy, device);
}

void EdgeMemory::advise_read_mostly(bool on) const {
  if (kind_ != Kind::managed) return;
  advise(data(), bytes_, on ? cudaMemAdviseSetReadMostly : cudaMemAdviseUnsetReadMostly, cudaCpuDeviceId);
}

void EdgeMemory::advise_accessed_by(int device, bool on) const {
  if (kind_ == Kind::managed) advise(data(), bytes_, on ? cudaMemAdviseSetAccessedBy : cudaMemAdviseUnsetAccessedBy, device);
}

void EdgeMemory::prefetch_to_host(void* stream) const {
  if (kind_ == Kind::managed) prefetch(data(), bytes_, cudaCpuDeviceId, stream);
}

void EdgeMemory::prefetch_to_device(int device, void* stream) const {
  if (kind_ == Kind::managed) prefetch(data(), bytes_, device, stream);
}

void EdgeMemory::release() noexcept {
  if (kind_ == Kind::device || kind_ == Kind::managed) cudaFree(device_pointer_);
  if (kind_ == Kind::registered) unpin(host_pointer_);
  if (kind_ == Kind::pinned) cudaFreeHost(host_pointer_);
  kind_ = Kind::none;
}

}  // namespace graphrun::cuda::inline GR_IDS
