// Column<T>: a long array that is either anonymous memory or a piece of a mapped file, behind one type.
//
// Use it for anything that scales with the graph. Unlike std::vector it does not touch its memory when made, starts on a
// page boundary, asks for huge pages (random access into a multi-gigabyte array otherwise pays for page walks), and
// can be a window into a file that nothing is ever copied from.
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
  /// Anonymous, zero-filled on first touch, with `guard_bytes` of addresses behind it that fault when they are touched and take
  /// no memory, where there is room for them. Short regions with guards are not unmapped but published again, zeroed, so nothing
  /// that outlives them (a registration, advice) may be tied to their addresses. Throws RunError when the system refuses.
  static std::shared_ptr<Region> allocate(std::size_t bytes, std::size_t guard_bytes = 0);
  /// The whole file, read-only and shared with the page cache. Throws DataError naming the file.
  static std::shared_ptr<Region> map_file(const std::string& path);
  /// The first `bytes` of an open scratch file, readable and writable; the file may be closed afterwards. The caller has
  /// made sure that it has room for them on the disk. Throws RunError.
  static std::shared_ptr<Region> map_scratch(int fd, std::size_t bytes);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Path of the mapped file; empty for anonymous memory.
  const std::string& path() const { return file_.path(); }
  /// The mapped file, which stays open; none for anonymous memory and scratch files.
  const WatchedFile& file() const { return file_; }
  /// Takes these bytes out of this process: they stay in their file and come back when they are touched. For passes that
  /// must not hold more of a file at a time than they look at. No effect on anonymous memory. Any thread.
  void release(std::size_t offset, std::size_t bytes) const;
  /// Forgets the cached pages of a mapped file, so that the next access reads the disk. No effect on anonymous memory.
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

/// `size()` elements of a trivially copyable T. Copying a Column shares the memory.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;

  static Column allocate(std::size_t size) { return window(Region::allocate(size * sizeof(T)), 0, size); }
  /// For what is indexed by ids out of a file: a wrong one of 32 bits faults instead of exchange other memory.
  static Column allocate_guarded(std::size_t size) {
    return window(Region::allocate(size * sizeof(T), sizeof(T) << 32), 0, size);
  }

  /// `size` elements at `offset` bytes into `region`; the caller has checked that they lie inside and are aligned.
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
  /// Elements [begin, begin + size); shares the memory.
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
    if (region_ && begin < end) {
      region_->release(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(data_ + begin) - region_->data()),
                       (end - begin) * sizeof(T));
    }
  }
  /// The memory behind it; null for an empty column.
  const std::shared_ptr<Region>& region() const { return region_; }
  /// In a file that a user named; scratch files do not count.
  bool in_mapped_file() const { return region_ && !region_->path().empty(); }

 private:
  std::shared_ptr<Region> region_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graphrun
