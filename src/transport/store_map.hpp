// Files opened for transfers past the page cache, and where in them the bytes of a store lie.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// A file opened for transfers past the page cache, where its file system allows that.
class DirectFile {
 public:
  /// Opens what `fd` is open for anew. Throws DataError.
  DirectFile(std::string name, int fd, bool writable);
  ~DirectFile();
  DirectFile(DirectFile&& other) noexcept
      : name_(std::move(other.name_)),
        writable_(other.writable_),
        fd_(std::exchange(other.fd_, -1)),
        direct_(other.direct_),
        sector_bytes_(other.sector_bytes_),
        bytes_(other.bytes_) {}
  DirectFile& operator=(DirectFile&&) = delete;

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }
  bool direct() const { return direct_; }
  /// The least that it moves.
  std::uint32_t sector_bytes() const { return sector_bytes_; }
  bool writable() const { return writable_; }
  std::uint64_t bytes() const { return bytes_; }  ///< when it was opened

 private:
  std::string name_;
  bool writable_ = false;
  int fd_ = -1;
  bool direct_ = false;
  std::uint32_t sector_bytes_ = 1;
  std::uint64_t bytes_ = 0;
};

/// The files of a store, with copies and parts of them.
class StoreMap {
 public:
  /// A stretch of one file that a request becomes.
  struct Piece {
    std::size_t file = 0;  ///< of files()
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t data_offset = 0;  ///< in the request's memory
  };

  /// Throws DataError.
  explicit StoreMap(const std::vector<StoreFile>& files);

  const std::vector<DirectFile>& files() const { return files_; }
  /// Most pieces that a request of so many bytes becomes.
  std::size_t most_pieces(std::uint32_t bytes) const;
  /// Adds the pieces of a request to `pieces`: several where it crosses from one part into the next, none when the store does not
  /// allow it. A read behind the end of a file would succeed with nothing, and a write there would make the file longer.
  void cut(const BlockRequest& request, std::vector<Piece>& pieces) const;

 private:
  /// Which of files_ a file of the store is: itself and its copies, or its parts.
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
