// Memory that a kernel can read edges from: of the device, of the host, managed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Owns one stretch of memory; `data()` is what kernels read. Move-only.
class EdgeMemory {
 public:
  enum class Kind {
    none,
    device,      ///< in the card
    registered,  ///< the loader's own memory, pinned where it is
    pinned,      ///< host memory allocated pinned, a copy
    managed,     ///< managed memory, a copy; where its pages are is the driver's business and our advice
  };

  EdgeMemory() = default;
  ~EdgeMemory() { release(); }
  EdgeMemory(EdgeMemory&& other) noexcept { swap(other); }
  EdgeMemory& operator=(EdgeMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  static EdgeMemory on_device(const void* from, std::size_t bytes);
  /// Pins `from` in place; it must be anonymous memory that starts on a page and outlives this object.
  static EdgeMemory register_host(const void* from, std::size_t bytes);
  static EdgeMemory pinned_copy(const void* from, std::size_t bytes, ThreadPool& pool);
  /// The caller has checked that the card has as much free: see why_not_managed().
  static EdgeMemory managed_copy(const void* from, std::size_t bytes, ThreadPool& pool);

  const void* data() const { return device_pointer_; }
  void* host_data() const { return host_pointer_; }  ///< where the host has it; null when it is on the device
  std::size_t bytes() const { return bytes_; }

  /// managed: pages stay in host memory, and `device` reads them there over the link.
  void keep_on_host(int device) const;
  void advise_read_mostly(bool on) const;
  void advise_accessed_by(int device, bool on) const;
  /// managed: moves all pages to host memory, so that the next access from the GPU faults.
  void prefetch_to_host(void* stream) const;
  /// managed: the same towards `device`; what runs on the stream afterwards finds them there.
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

/// Free memory of the current device.
std::size_t free_device_bytes();

/// Returns "" when `bytes` of managed memory can be had beside the state of `num_vertices`; else why not. Asking for more than
/// the card has free can hang the device. `beside_original`: the host needs room for the loader's copy, too.
std::string why_not_managed(std::size_t bytes, std::uint64_t num_vertices, bool beside_original);

}  // namespace graphrun::cuda::inline GR_IDS
