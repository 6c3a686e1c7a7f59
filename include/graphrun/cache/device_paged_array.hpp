// An array in a file that fits neither into device memory nor needs to: BaM's array (Qureshi et al., ASPLOS 2023, section 3.5)
// for the threads of a GPU. Or an array in host memory: GPUVM's (Nazaraliyev et al., section 3.1). For threads of the host:
// paged_array.hpp.
//
//   DevicePagedArray<float> a("a.bin", exec), b("b.bin", exec);
//   auto sum = DevicePagedArray<float>::create("sum.bin", a.size(), exec);
//   add<<<1024, 256>>>(a.view(), b.view(), sum.view());   // sum[i] = a[i] + b[i]; see device_paged_array.cuh
//   sum.flush();
//
//   const auto far = DevicePagedArray<float>::over(std::span(pinned, count), exec);   // pages come from host memory
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/transport/memory_storage.hpp"

namespace graphrun {

/// What moves pages between host memory and frames.
enum class MemoryFabric {
  sm,     ///< the warp that needs the page, over the link
  proxy,  ///< host threads, in batches, which warps ask through queues: what stands for a NIC beside the GPU
};

struct DevicePagedArrayOptions {
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 64 KiB
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of device memory for pages
  bool writable = false;
  MemoryFabric fabric = MemoryFabric::sm;      ///< of an array in memory
  std::uint32_t queues = 128;                  ///< queue pairs, of a file or of fabric proxy
  std::uint32_t queue_depth = 64;              ///< commands out at a time in each; a power of two
  int controllers = 0;                         ///< host threads that serve the queues; 0 for half of all
  std::chrono::milliseconds deadline{10'000};  ///< for one page
  /// What reads and writes the file; io_uring when it is empty.
  std::function<std::unique_ptr<BlockEngine>(const std::vector<StoreFile>& files, std::uint32_t depth)> open_engine = {};
};

class ArrayFile;

/// A file, or host memory, under a pager: what DevicePagedArray is for bytes.
class DevicePagedStore {
 public:
  /// An existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  static DevicePagedStore open(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options);
  /// Makes a file of `bytes` zeros, rounded up to whole pages, in the place of what was there, which is untouched when that
  /// fails. Throws DataError, UsageError.
  static DevicePagedStore create(const std::string& path, std::uint64_t bytes, CudaExecutor& exec,
                                 DevicePagedArrayOptions options);
  /// Memory that the device reaches, pinned, or managed with fabric sm, at an address that 16 divides. It outlives this
  /// object, and the host leaves alone what kernels write until it is flushed. Throws UsageError.
  static DevicePagedStore over(std::span<std::byte> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options);
  /// Memory that is only read. Throws UsageError also when the options say that it is writable.
  static DevicePagedStore over(std::span<const std::byte> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options);
  /// What was not flushed is written; what goes wrong then is only logged.
  ~DevicePagedStore();
  DevicePagedStore(DevicePagedStore&&) noexcept;
  DevicePagedStore& operator=(DevicePagedStore&&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  DevicePager& pager() const { return *pager_; }
  void flush();

 private:
  DevicePagedStore(std::unique_ptr<ArrayFile> file, bool fresh, CudaExecutor& exec, const DevicePagedArrayOptions& options);
  DevicePagedStore(const MemoryStretch& memory, CudaExecutor& exec, const DevicePagedArrayOptions& options);

  std::unique_ptr<ArrayFile> file_;  ///< null for memory
  std::string name_;                 ///< for messages
  std::uint64_t bytes_;
  bool writable_;
  std::unique_ptr<DevicePager> pager_;
};

namespace cuda {
template <class T>
class PagedElement;
}

/// What kernels get. Trivially copyable.
template <class T>
struct DevicePagedArrayView {
  DevicePages pages;
  std::uint64_t size = 0;
  bool writable = false;

#if defined(__CUDACC__)
  /// All 32 lanes of a warp together. Lanes with an `index` past the end have no element: they read zeros and write nothing.
  __device__ cuda::PagedElement<T> operator[](std::uint64_t index) const;
#endif
};

/// `size()` elements of 4 or 8 bytes, for kernels of one executor. A kernel that writes to an array that was opened for
/// reading makes it fail: throw_if_failed() says so, and so does what follows.
template <class T>
class DevicePagedArray {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));

 public:
  /// Throws as DevicePagedStore.
  DevicePagedArray(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options = {})
      : DevicePagedArray(DevicePagedStore::open(path, exec, options)) {}
  /// A new file of zeros, writable.
  static DevicePagedArray create(const std::string& path, std::uint64_t size, CudaExecutor& exec,
                                 const DevicePagedArrayOptions& options = {}) {
    DevicePagedArray array(DevicePagedStore::create(path, array_bytes(size, sizeof(T)), exec, options));
    array.size_ = size;
    return array;
  }
  /// Elements in host memory that the program hands in; written ones go back to it.
  static DevicePagedArray over(std::span<T> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options = {}) {
    return DevicePagedArray(DevicePagedStore::over(std::as_writable_bytes(memory), exec, options));
  }
  /// The same for memory that is only read.
  static DevicePagedArray over(std::span<const T> memory, CudaExecutor& exec, const DevicePagedArrayOptions& options = {}) {
    return DevicePagedArray(DevicePagedStore::over(std::as_bytes(memory), exec, options));
  }

  /// Of a file that exists: what fits into it.
  std::uint64_t size() const { return size_; }
  /// Good while the array lives.
  DevicePagedArrayView<T> view() const { return {store_.pager().pages(), size_, store_.writable()}; }

  /// Returns when the disk, or the memory, has all that kernels wrote. Waits for the device. Throws RunError.
  void flush() { store_.flush(); }
  /// Empties the cache, after a flush, so that kernels find nothing in it.
  void drop() {
    flush();
    store_.pager().drop();
  }
  /// Throws RunError when a page could not be read or written.
  void throw_if_failed() const { store_.pager().throw_if_failed(); }
  PagerCounters counters() const { return store_.pager().counters(); }
  /// Pages that its cache has room for.
  std::uint64_t frames() const { return store_.pager().frames(); }

 private:
  explicit DevicePagedArray(DevicePagedStore store) : store_(std::move(store)), size_(store_.bytes() / sizeof(T)) {}

  DevicePagedStore store_;
  std::uint64_t size_ = 0;
};

}  // namespace graphrun
