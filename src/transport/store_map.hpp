// SPDX-License-Identifier: Apache-2.0
// Files opened for transfers past the page cache, and the places of a store's bytes in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/owned_fd.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// A file opened for transfers past the page cache, where its file system allows that.
struct DirectFile {
  /// Opens the file of `fd` anew. Throws DataError.
  DirectFile(std::string name, int fd, bool writable);

  std::string name;
  bool writable;
  OwnedFd fd;
  bool direct = true;
  std::uint32_t sector_bytes = 1;  ///< the least that it moves
  std::uint64_t bytes = 0;         ///< when it was opened
};

/// Returns the granularity of direct I/O on an open file; 512 where the kernel does not say.
std::uint32_t sector_bytes_of(int fd);

/// The files of a store, with copies and parts of them.
class StoreMap {
 public:
  /// A stretch of one file that a request becomes.
  struct Piece {
    std::size_t file = 0;  ///< of files()
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t data_offset = 0;  ///< in the request's memory
    bool cached = false;            ///< it is to come from the page cache, which held it when it was looked at
  };

  /// Opens the files. Throws DataError.
  explicit StoreMap(const std::vector<StoreFile>& files);

  const std::vector<DirectFile>& files() const { return files_; }
  /// Returns which of files() is a file of the store itself; nothing when parts have its bytes.
  std::optional<std::size_t> only_file(std::uint64_t file) const {
    if (file >= groups_.size() || groups_[file].unit_bytes != 0) return std::nullopt;
    return groups_[file].first;
  }
  /// Returns when a file of the store, a copy or a part of it last changed, in nanoseconds since 1970; now where nobody knows.
  std::int64_t last_change(std::uint64_t file) const;
  /// Returns the most pieces of a request of `bytes`.
  std::size_t most_pieces(std::uint32_t bytes) const;
  /// Adds the pieces of a request to `pieces`: several across parts, none when the store does not allow it.
  void cut(const BlockRequest& request, std::vector<Piece>& pieces) const;

 private:
  /// The files_ of a file of the store: itself and its copies, or its parts.
  struct Group {
    std::size_t first;
    std::size_t count;
    std::uint64_t unit_bytes;   ///< 0: no parts
    std::uint64_t data_offset;  ///< in a part
  };
  void cut_over_parts(const Group& group, std::uint64_t offset, std::uint32_t bytes, std::vector<Piece>& pieces) const;

  std::vector<DirectFile> files_;
  std::vector<Group> groups_;
};

}  // namespace graphrun
