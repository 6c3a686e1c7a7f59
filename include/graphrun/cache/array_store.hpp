// SPDX-License-Identifier: Apache-2.0
// The base of paged arrays, of host threads and of a GPU: a file or memory, and its pager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/log.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

class ArrayFile;

/// A source of array elements: a file, or memory that outlives it.
class ArraySource {
 public:
  /// Opens an existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  static ArraySource open(const std::string& path, bool writable, std::uint32_t page_bytes);
  /// Makes a file of zeros, rounded up to whole pages, which publish() names. Throws DataError; UsageError when it is too large
  /// for a file.
  static ArraySource create(const std::string& path, std::uint64_t size, std::size_t element_bytes, std::uint32_t page_bytes);
  /// Takes memory. Throws UsageError when it is to be writable and the memory is not.
  static ArraySource over(const MemoryStretch& memory, bool writable, std::uint32_t page_bytes);

  const std::string& name() const { return name_; }  ///< for messages
  std::uint64_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  bool fresh() const { return fresh_; }                    ///< a new file
  std::vector<StoreFile> files() const;                    ///< none for memory
  const MemoryStretch& memory() const { return memory_; }  ///< of no bytes for a file

  /// Names a new file; the old one, untouched until then, is replaced. Throws DataError.
  void publish();
  /// Waits until the disk has everything that was written. Throws RunError.
  void sync() const;
  // Both throw UsageError.
  [[noreturn]] void refuse_writing() const;
  [[noreturn]] void refuse_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const;

 private:
  ArraySource(std::shared_ptr<ArrayFile> file, bool writable, bool fresh);
  explicit ArraySource(const MemoryStretch& memory);

  std::shared_ptr<ArrayFile> file_;  ///< null for memory
  MemoryStretch memory_;
  std::string name_;
  std::uint64_t bytes_;
  bool writable_;
  bool fresh_ = false;
};

/// The common part of arrays behind a HostPager and a DevicePager.
template <class Pager>
class PagedStore {
 public:
  PagedStore(ArraySource source, std::unique_ptr<Pager> pager, std::size_t element_bytes)
      : source_(std::move(source)),
        pager_(std::move(pager)),
        element_bytes_(element_bytes),
        size_(source_.bytes() / element_bytes) {
    source_.publish();
  }
  /// Flushes; errors are only logged.
  ~PagedStore() {
    if (!pager_) return;  // moved from
    try {
      flush();
    } catch (const std::exception& error) {
      log::error(source_.name() + ": what was written last is lost: " + error.what());
    }
  }
  PagedStore(PagedStore&&) noexcept = default;
  PagedStore& operator=(PagedStore&&) = delete;

  /// Returns the number of elements; of an existing file, all that fit into it.
  std::uint64_t size() const { return size_; }

  /// Writes all to the disk, or the memory. Nothing else may use the array meanwhile; waits for kernels. Throws RunError.
  void flush() {
    if (!source_.writable()) return;
    pager_->flush();
    source_.sync();
  }
  /// Does the same for elements [begin, end), and what else lies in their pages. Throws UsageError for elements past the end.
  void flush(std::uint64_t begin, std::uint64_t end) {
    if (begin > end || end > size_) source_.refuse_range(begin, end - begin, size_);
    if (!source_.writable() || begin == end) return;
    const std::uint64_t page_bytes = pager_->page_bytes();
    pager_->flush(begin * element_bytes_ / page_bytes, (end * element_bytes_ - 1) / page_bytes);
    source_.sync();
  }
  /// Empties the cache, after a flush, so that later accesses miss. Nothing else may use the array meanwhile.
  void drop() {
    flush();
    pager_->drop();
    pager_->reset_counters();
  }
  PagerCounters counters() const { return pager_->counters(); }
  std::uint64_t frames() const { return pager_->frames(); }  ///< pages that its cache has room for

 protected:
  const ArraySource& source() const { return source_; }
  Pager& pager() const { return *pager_; }
  void set_size(std::uint64_t size) { size_ = size; }  ///< of a new file, which is rounded up to pages

 private:
  ArraySource source_;
  std::unique_ptr<Pager> pager_;
  std::size_t element_bytes_;
  std::uint64_t size_;
};

}  // namespace graphrun
