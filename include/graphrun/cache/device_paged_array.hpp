// An array in a file that fits neither into device memory nor needs to: BaM's array (Qureshi et al., ASPLOS 2023, section 3.5)
// for the threads of a GPU. For those of the host: paged_array.hpp.
//
//   DevicePagedArray<float> a("a.bin", exec), b("b.bin", exec);
//   auto sum = DevicePagedArray<float>::create("sum.bin", a.size(), exec);
//   add<<<1024, 256>>>(a.view(), b.view(), sum.view());   // sum[i] = a[i] + b[i]; see device_paged_array.cuh
//   sum.flush();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/cache/paged_column.hpp"

namespace graphrun {

struct DevicePagedArrayOptions {
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 64 KiB
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of device memory for pages
  bool writable = false;
  std::chrono::milliseconds deadline{10'000};  ///< for one page
  /// What reads and writes the file; io_uring when it is empty.
  std::function<std::unique_ptr<BlockEngine>(const std::vector<StoreFile>& files, std::uint32_t depth)> open_engine = {};
};

class ArrayFile;

/// A file under a pager: what DevicePagedArray is for bytes.
class DevicePagedFile {
 public:
  /// An existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  DevicePagedFile(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options);
  /// Makes a file of `bytes` zeros, rounded up to whole pages, in the place of what was there, which is untouched when that
  /// fails. Throws DataError, UsageError.
  static DevicePagedFile create(const std::string& path, std::uint64_t bytes, CudaExecutor& exec,
                                DevicePagedArrayOptions options);
  /// What was not flushed is written; what goes wrong then is only logged.
  ~DevicePagedFile();
  DevicePagedFile(DevicePagedFile&&) noexcept;
  DevicePagedFile& operator=(DevicePagedFile&&) = delete;

  std::uint64_t bytes() const;
  bool writable() const { return writable_; }
  DevicePager& pager() const { return *pager_; }
  void flush();

 private:
  DevicePagedFile(std::unique_ptr<ArrayFile> file, bool fresh, CudaExecutor& exec, const DevicePagedArrayOptions& options);

  std::unique_ptr<ArrayFile> file_;
  bool writable_ = false;
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
  /// Throws as DevicePagedFile.
  DevicePagedArray(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options = {})
      : DevicePagedArray(DevicePagedFile(path, exec, options)) {}
  /// A new file of zeros, writable.
  static DevicePagedArray create(const std::string& path, std::uint64_t size, CudaExecutor& exec,
                                 const DevicePagedArrayOptions& options = {}) {
    DevicePagedArray array(DevicePagedFile::create(path, array_bytes(size, sizeof(T)), exec, options));
    array.size_ = size;
    return array;
  }

  /// Of a file that exists: what fits into it.
  std::uint64_t size() const { return size_; }
  /// Good while the array lives.
  DevicePagedArrayView<T> view() const { return {file_.pager().pages(), size_, file_.writable()}; }

  /// Returns when the disk has all that kernels wrote. Waits for the device. Throws RunError.
  void flush() { file_.flush(); }
  /// Throws RunError when a page could not be read or written.
  void throw_if_failed() const { file_.pager().throw_if_failed(); }
  PagerCounters counters() const { return file_.pager().counters(); }

 private:
  explicit DevicePagedArray(DevicePagedFile file) : file_(std::move(file)), size_(file_.bytes() / sizeof(T)) {}

  DevicePagedFile file_;
  std::uint64_t size_ = 0;
};

}  // namespace graphrun
