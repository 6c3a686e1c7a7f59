// SPDX-License-Identifier: Apache-2.0
// Column<T>: a long array in anonymous memory or in a mapped file, for anything that scales with the graph. Unlike std::vector it
// does not touch its memory when made, starts on a page boundary, and asks for huge pages, which spare random access page walks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "graphrun/core/watched_file.hpp"

namespace graphrun {

/// A stretch of virtual memory. Move-only through Column; shared between the columns of one mapped file.
class Region {
 public:
  /// Makes anonymous memory, zero-filled on first touch. After it come `guard_bytes` of addresses that fault and take no memory,
  /// where there is room. Short regions with guards are reused, zeroed: nothing that outlives them (a registration, advice) may
  /// be tied to their addresses. Throws RunError when the system refuses.
  static std::shared_ptr<Region> allocate(std::size_t bytes, std::size_t guard_bytes = 0);
  /// Maps the whole file, read-only and shared with the page cache. Throws DataError naming the file.
  static std::shared_ptr<Region> map_file(const std::string& path);
  /// Maps the first `bytes` of a scratch file to read and write; it may be closed afterwards. The caller has made sure of room on
  /// the disk. Throws RunError.
  static std::shared_ptr<Region> map_scratch(int fd, std::size_t bytes);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& path() const { return file_.path(); }  ///< of the mapped file; empty for anonymous memory
  const WatchedFile& file() const { return file_; }         ///< stays open; none for anonymous memory and scratch files
  /// Drops these bytes of a file from this process's memory until they are touched again, for passes over large files. No effect
  /// on anonymous memory. Any thread.
  void release(std::size_t offset, std::size_t bytes) const;
  /// Drops a mapped file from the page cache, so that the next access reads the disk. No effect on anonymous memory.
  void drop_cached_pages() const;

 private:
  Region() = default;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t guard_bytes_ = 0;
  bool guarded_ = false;  ///< guards were asked for
  bool in_file_ = false;
  WatchedFile file_;
};

/// An array of trivially copyable T. Copying a Column shares the memory.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;

  static Column allocate(std::size_t size) { return window(Region::allocate(size * sizeof(T)), 0, size); }
  /// Allocates an array indexed by ids from a file: a wrong id of 32 bits faults instead of reaching other memory.
  static Column allocate_guarded(std::size_t size) {
    return window(Region::allocate(size * sizeof(T), sizeof(T) << 32), 0, size);
  }

  /// Returns the `size` elements at `offset` bytes into `region`. The caller has checked bounds and alignment.
  static Column window(std::shared_ptr<Region> region, std::size_t offset, std::size_t size) {
    Column made;
    made.data_ = reinterpret_cast<T*>(region->data() + offset);
    made.region_ = std::move(region);
    made.size_ = size;
    return made;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }
  /// Returns elements [begin, begin + size); shares the memory.
  Column slice(std::size_t begin, std::size_t size) const {
    Column made = *this;
    made.data_ += begin;
    made.size_ = size;
    return made;
  }
  /// Shortens the column; its memory stays.
  void truncate(std::size_t size) { size_ = size < size_ ? size : size_; }
  /// Region::release for elements [begin, end).
  void release(std::size_t begin, std::size_t end) const {
    if (region_ && begin < end)
      region_->release(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(data_ + begin) - region_->data()),
                       (end - begin) * sizeof(T));
  }
  const std::shared_ptr<Region>& region() const { return region_; }  ///< null for an empty column
  /// Tells whether it is in a file that a user named; scratch files do not count.
  bool in_mapped_file() const { return region_ && !region_->path().empty(); }

 private:
  std::shared_ptr<Region> region_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graphrun
