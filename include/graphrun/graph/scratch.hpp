// SPDX-License-Identifier: Apache-2.0
// Room for columns that do not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun {
class ArcSorter;
}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Returns the folder that TMPDIR names, or /tmp when it is unset or empty. Throws DataError when it is no folder.
std::string temporary_folder();

/// A file without a name: its space is given back when it is closed and its last mapping is gone, however the process
/// ends. All members throw DataError naming the directory (no space, no permission). One thread at a time.
class ScratchFile {
 public:
  /// Holds no file.
  ScratchFile() = default;
  explicit ScratchFile(const std::string& directory);
  ~ScratchFile();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;

  void append(const void* data, std::size_t bytes);
  /// Makes the file `bytes` long with all of its space reserved, so that writing through a mapping cannot run out of disk.
  void reserve(std::uint64_t bytes);
  bool is_open() const { return fd_ >= 0; }
  std::uint64_t size() const { return size_; }
  /// Writes everything that was appended to the disk.
  void flush();
  /// Returns the descriptor, for other ways to read the file; valid as long as the file.
  int descriptor() const { return fd_; }
  /// Maps everything that was appended or reserved, as elements of T to read and write.
  template <class T>
  Column<T> map() const {
    return Column<T>::window(Region::map_scratch(fd_, size_), 0, size_ / sizeof(T));
  }

 private:
  [[noreturn]] void fail(int error) const;

  std::string directory_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

/// Room to build a graph: in memory, or in scratch files while at most `memory_bytes` are held at a time. In memory, a GPU may
/// sort it.
class Workspace {
 public:
  /// Works in memory, without a limit.
  Workspace() = default;
  /// Works in scratch files of `directory`. Throws DataError when nothing can be written to it.
  static Workspace on_disk(const std::string& directory, std::uint64_t memory_bytes);
  /// Works in memory, sorted by a GPU (exec/arc_sorter.hpp), with the same result; null: by the CPU. A function that is given it
  /// throws UnavailableError when the sorter is required and has no room.
  static Workspace with_gpu(std::shared_ptr<ArcSorter> sorter) {
    Workspace made;
    made.sorter_ = std::move(sorter);
    return made;
  }

  bool is_on_disk() const { return !directory_.empty(); }
  ArcSorter* sorter() const { return sorter_.get(); }  ///< null: the CPU sorts graphs
  const std::string& directory() const { return directory_; }
  /// Returns the most bytes for buffers and for resident pieces of files; in memory, the largest number there is.
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  /// Returns how many items of `item_bytes` a pass should hold at a time, at least 1; in memory, all. A pass releases what it has
  /// seen before it goes on (Column::release).
  std::size_t window(std::size_t item_bytes) const;

  /// Allocates `size` elements. In memory they are zero-filled; on disk their space is reserved.
  template <class T>
  Column<T> make(std::size_t size) const {
    if (!is_on_disk()) return Column<T>::allocate(size);
    ScratchFile file(directory_);
    file.reserve(size * sizeof(T));
    return file.map<T>();
  }

 private:
  std::string directory_;
  std::uint64_t memory_bytes_ = std::numeric_limits<std::uint64_t>::max();
  std::shared_ptr<ArcSorter> sorter_;
};

}  // namespace graphrun::inline GR_IDS
