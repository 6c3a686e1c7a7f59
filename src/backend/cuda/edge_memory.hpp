// SPDX-License-Identifier: Apache-2.0
// Memory from which kernels read edges: of the device, of the host, managed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Owner of a block of memory; kernels read at `data()`. Move-only.
class EdgeMemory {
 public:
  enum class Kind {
    none,
    device,      ///< device memory
    registered,  ///< the loader's memory, pinned in place
    pinned,      ///< a copy in pinned host memory
    managed,     ///< a copy in managed memory; the driver and advice place its pages
  };

  EdgeMemory() = default;
  ~EdgeMemory() { release(); }
  EdgeMemory(EdgeMemory&& other) noexcept { swap(other); }
  EdgeMemory& operator=(EdgeMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  static EdgeMemory on_device(const void* from, std::size_t bytes);
  /// Allocates device memory.
  static EdgeMemory uninitialised(std::size_t bytes);
  /// Pins `from` in place; it must be anonymous memory that starts on a page and outlives this object.
  static EdgeMemory register_host(const void* from, std::size_t bytes);
  static EdgeMemory pinned_copy(const void* from, std::size_t bytes, ThreadPool& pool);
  /// Copies to managed memory. Precondition: why_not_managed() returns "".
  static EdgeMemory managed_copy(const void* from, std::size_t bytes, ThreadPool& pool);

  const void* data() const { return device_pointer_; }
  void* host_data() const { return host_pointer_; }  ///< address on the host; null for device memory
  std::size_t bytes() const { return bytes_; }

  /// managed: pages stay in host memory, and `device` reads them over the link.
  void keep_on_host(int device) const;
  void advise_read_mostly(bool on) const;
  void advise_accessed_by(int device, bool on) const;
  /// managed: moves all pages to host memory, so that the next access from the GPU faults.
  void prefetch_to_host(void* stream) const;
  /// managed: moves all pages to `device`, before later work on the stream.
  void prefetch_to_device(int device, void* stream) const;

 private:
  void release() noexcept;
  void swap(EdgeMemory& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(host_pointer_, other.host_pointer_);
    std::swap(device_pointer_, other.device_pointer_);
    std::swap(bytes_, other.bytes_);
  }

  Kind kind_ = Kind::none;
  void* host_pointer_ = nullptr;
  void* device_pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Returns the free memory of the current device.
std::size_t free_device_bytes();

/// Returns the device memory of a run's state over `num_vertices`, with a margin for the driver.
std::size_t state_and_margin(std::uint64_t num_vertices);

/// Returns why the current device does not page managed memory on demand; "" when it does.
std::string why_no_paging();

/// Returns "" when `bytes` of managed memory fit beside the state of `num_vertices`, else the reason. Allocating more than the
/// card's free memory can hang the device. `beside_original`: the host also holds the loader's copy.
std::string why_not_managed(std::size_t bytes, std::uint64_t num_vertices, bool beside_original);

}  // namespace graphrun::cuda::inline GR_IDS
