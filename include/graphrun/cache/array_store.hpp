// What is under a paged array, of host threads and of a GPU: a file or memory, and the pager before it.
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

/// A file, or memory that outlives it.
class ArraySource {
 public:
  /// An existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  static ArraySource open(const std::string& path, bool writable, std::uint32_t page_bytes);
  /// Makes a file of elements that are zeros, rounded up to whole pages, which has its name from publish() on. Throws DataError;
  /// UsageError when no file can be so large.
  static ArraySource create(const std::string& path, std::uint64_t size, std::size_t element_bytes, std::uint32_t page_bytes);
  /// Throws UsageError when it is to be writable and the memory is not.
  static ArraySource over(const MemoryStretch& memory, bool writable, std::uint32_t page_bytes);

  const std::string& name() const { return name_; }  ///< for messages
  std::uint64_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  bool fresh() const { return fresh_; }  ///< a new file
  /// None for memory.
  std::vector<StoreFile> files() const;
  /// Of no bytes for a file.
  const MemoryStretch& memory() const { return memory_; }

  /// Puts a new file in the place of what was there, which is untouched until then. Throws DataError.
  void publish();
  /// Returns when the disk has what was written. Throws RunError.
  void sync() const;
  /// Throws UsageError: it was opened for reading.
  [[noreturn]] void refuse_writing() const;
  /// Throws UsageError: not all of those elements are in an array of `size`.
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

/// What arrays behind a HostPager and a DevicePager share.
template <class Pager>
class PagedStore {
 public:
  PagedStore(ArraySource source, std::unique_ptr<Pager> pager) : source_(std::move(source)), pager_(std::move(pager)) {
    source_.publish();
  }
  /// What was not flushed is written; what goes wrong then is only logged.
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

  /// Returns when the disk, or the memory, has all that was written. Nothing else may use the array meanwhile, and what runs on
  /// a device is waited for. Throws RunError.
  void flush() {
    if (!source_.writable()) return;
    pager_->flush();
    source_.sync();
  }
  /// Empties the cache, after a flush, so that later accesses miss. Nothing else may use the array meanwhile.
  void drop() {
    flush();
    pager_->drop();
    pager_->reset_counters();
  }
  PagerCounters counters() const { return pager_->counters(); }
  /// Pages that its cache has room for.
  std::uint64_t frames() const { return pager_->frames(); }

 protected:
  const ArraySource& source() const { return source_; }
  Pager& pager() const { return *pager_; }

 private:
  ArraySource source_;
  std::unique_ptr<Pager> pager_;
};

}  // namespace graphrun
