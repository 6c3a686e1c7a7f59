// Where the pages of a column come from: its file, read by the kernel's page cache, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphrun {

/// `bytes()` bytes that can be read from anywhere in any order. One thread at a time.
class ColumnSource {
 public:
  /// The memory must outlive it.
  static ColumnSource in_memory(const void* data, std::uint64_t bytes);
  /// Opens the file, or, where it is open already, its descriptor again: another file may have its name by now. Throws DataError.
  static ColumnSource in_file(const std::string& path, std::uint64_t offset, std::uint64_t bytes, int descriptor = -1);
  ~ColumnSource();
  ColumnSource(ColumnSource&& other) noexcept;
  ColumnSource& operator=(ColumnSource&&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  /// [offset, offset + count), with zeros where that goes beyond the end: in `buffer`, or where it was all along. Throws
  /// DataError naming the file when it is not what it was or cannot be read.
  const std::byte* read(std::uint64_t offset, std::size_t count, std::byte* buffer) const;

 private:
  ColumnSource() = default;
  void read_file(std::uint64_t offset, std::size_t count, std::byte* buffer) const;

  std::uint64_t bytes_ = 0;
  const std::byte* memory_ = nullptr;
  std::string path_;
  int fd_ = -1;
  std::uint64_t file_offset_ = 0;
};

}  // namespace graphrun
