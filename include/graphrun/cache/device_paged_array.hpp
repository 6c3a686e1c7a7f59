// SPDX-License-Identifier: Apache-2.0
// An array for the threads of a GPU, in a file: BaM's (Qureshi et al., ASPLOS 2023, section 3.5); or in host memory: GPUVM's
// (Nazaraliyev et al., section 3.1). For host threads: paged_array.hpp.
//
//   DevicePagedArray<float> a("a.bin", exec), b("b.bin", exec);
//   auto sum = DevicePagedArray<float>::create("sum.bin", a.size(), exec);
//   add<<<1024, 256>>>(a.view(), b.view(), sum.view());   // sum[i] = a[i] + b[i]; see device_paged_array.cuh
//   sum.flush();
//
//   const auto far = DevicePagedArray<float>::over(std::span(pinned, count), exec);   // pages come from host memory
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graphrun/cache/array_store.hpp"
#include "graphrun/cache/device_pager.hpp"

namespace graphrun {

/// The mover of pages between host memory and frames.
enum class MemoryFabric {
  sm,     ///< the warp that needs the page, over the link
  proxy,  ///< host threads, in batches, which warps ask through queues: they stand for a NIC beside the GPU
};

struct DevicePagedArrayOptions {
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 1 MiB
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of device memory for pages
  bool writable = false;
  MemoryFabric fabric = MemoryFabric::sm;      ///< of an array in memory
  std::uint32_t queues = 128;                  ///< queue pairs, of a file or of fabric proxy
  std::uint32_t queue_depth = 64;              ///< commands out at a time in each; a power of two
  int controllers = 0;                         ///< host threads that serve the queues; 0 for half of all
  std::chrono::milliseconds deadline{10'000};  ///< for one page
  /// Opens the engine of the file; io_uring when it is empty.
  std::function<std::unique_ptr<BlockEngine>(const std::vector<StoreFile>& files, std::uint32_t depth)> open_engine = {};
};

/// Makes the pager of an array. Throws UsageError, also when the source is memory that kernels do not reach.
std::unique_ptr<DevicePager> make_pager(const ArraySource& source, const DevicePagedArrayOptions& options, CudaExecutor& exec);

namespace cuda {
template <class T>
class PagedElement;
}

/// The array in kernels. Trivially copyable.
template <class T>
struct DevicePagedArrayView {
  DevicePages pages;
  std::uint64_t size = 0;
  bool writable = false;

#if defined(__CUDACC__)
  /// Returns a lane's element; faster where all 32 lanes of a warp come together. Lanes with an `index` past the end read zeros
  /// and write nothing.
  __device__ cuda::PagedElement<T> operator[](std::uint64_t index) const;
#endif
};

/// An array of elements of 1, 2, 4, 8 or 16 bytes, for kernels of one executor. A kernel that writes to an array opened for
/// reading makes it fail: throw_if_failed() says so.
template <class T>
class DevicePagedArray : public PagedStore<DevicePager> {
  static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)) && sizeof(T) <= 16);

 public:
  /// Opens an existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  DevicePagedArray(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options = {})
      : DevicePagedArray(ArraySource::open(path, options.writable, options.page_bytes), exec, options) {}
  /// Makes a new file of zeros, writable, which replaces an old one.
  static DevicePagedArray create(const std::string& path, std::uint64_t size, CudaExecutor& exec,
                                 const DevicePagedArrayOptions& options = {}) {
    DevicePagedArray array(ArraySource::create(path, size, sizeof(T), options.page_bytes), exec, options);
    array.set_size(size);
    return array;
  }
  /// Takes elements in memory that the device reaches: pinned, or managed with fabric sm, at a multiple of 16. Written elements
  /// go back to it. It outlives the array; the host must not touch what kernels write until a flush(). Throws UsageError.
  static DevicePagedArray over(std::span<T> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options = {}) {
    const MemoryStretch stretch(std::as_writable_bytes(memory));
    return DevicePagedArray(ArraySource::over(stretch, options.writable, options.page_bytes), exec, options);
  }
  /// Does the same for memory that is only read.
  static DevicePagedArray over(std::span<const T> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options = {}) {
    return DevicePagedArray(ArraySource::over(std::as_bytes(memory), options.writable, options.page_bytes), exec, options);
  }

  /// Returns the view, valid while the array lives.
  DevicePagedArrayView<T> view() const { return {pager().pages(), size(), source().writable()}; }
  /// Throws RunError when a page could not be read or written.
  void throw_if_failed() const { pager().throw_if_failed(); }

 private:
  DevicePagedArray(const ArraySource& source, CudaExecutor& exec, const DevicePagedArrayOptions& options)
      : PagedStore(source, make_pager(source, options, exec), sizeof(T)) {}
};

}  // namespace graphrun
