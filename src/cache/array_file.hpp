// The file under a paged array.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "graphrun/core/output_file.hpp"

namespace graphrun {

/// An open regular file; a new one has its name from publish() on.
class ArrayFile {
 public:
  /// Throws DataError; UsageError when it is writable and has no whole number of pages.
  static std::unique_ptr<ArrayFile> open(const std::string& path, bool writable, std::uint32_t page_bytes);
  /// Makes a file of `bytes` zeros, rounded up to whole pages. Throws DataError; UsageError when no file can be so large.
  static std::unique_ptr<ArrayFile> create(const std::string& path, std::uint64_t bytes, std::uint32_t page_bytes);
  ~ArrayFile();
  ArrayFile(const ArrayFile&) = delete;
  ArrayFile& operator=(const ArrayFile&) = delete;

  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Puts a new file in the place of what was there, which is untouched until then. Throws DataError.
  void publish();
  /// Returns when the disk has what was written. Throws RunError.
  void sync() const;

 private:
  /// Opens `opened`, which the user knows as `path`.
  ArrayFile(std::string path, const std::string& opened, int how);
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int fd_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<OutputFile> unpublished_;
};

}  // namespace graphrun
