// SPDX-License-Identifier: Apache-2.0
// Files that are read in place while other processes may write to them.
//
// Offsets, ids and weights are checked when a file is opened, and kernels trust them: a check at each edge would cost as much as
// the edge. A file that changes later can make a run wrong, end it with a fault, or keep it from ending. Its size or time of last
// change then differs. Programs look at all watched files when a run fails, when it ends, and a few times a second in between
// (apps/changed_files.hpp). Pages cut off a container read as zeros (read_zeros()), so that a run ends and check_unchanged() says
// why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphrun {

/// An open file, watched as long as it lives: the first 512 of a process. Renaming another file over it changes nothing.
/// Move-only. Any thread may make and destroy it.
class WatchedFile {
 public:
  /// Watches no file.
  WatchedFile() = default;
  /// Opens a regular file for reading; does not wait for a pipe's other end. Throws DataError naming it.
  explicit WatchedFile(const std::string& path);
  ~WatchedFile();
  WatchedFile(WatchedFile&& other) noexcept;
  WatchedFile& operator=(WatchedFile&& other) noexcept;

  int descriptor() const { return fd_; }             ///< -1 for no file
  const std::string& path() const { return path_; }  ///< as it was opened; empty for no file
  std::uint64_t bytes() const { return bytes_; }     ///< when it was opened

  /// Tells handlers of faults where it is mapped.
  void set_mapping(const void* begin, std::size_t bytes) const;
  /// Tells them that its contents were not checked.
  void set_unchecked() const;
  /// Replaces pages of the mapping that cannot be read by zeros from now on, instead of SIGBUS: after the file was cut, or when
  /// its disk fails. The first call installs a handler of SIGBUS, which passes other faults to the one before it.
  void read_zeros() const;
  /// Throws DataError when it was written to since it was opened, or pages were read as zeros.
  void check_unchanged() const;

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  int slot_ = -1;  ///< in the table of watched files; -1 where it has no room
};

/// Tells handlers of faults the name of another mapping, as long as it lives: the first 512 of a process. Any thread may make and
/// destroy it.
class NamedMapping {
 public:
  NamedMapping(const std::string& name, const void* begin, std::size_t bytes);
  ~NamedMapping();
  NamedMapping(const NamedMapping&) = delete;
  NamedMapping& operator=(const NamedMapping&) = delete;

 private:
  int slot_;
};

/// Follows the name of a file that was written to, in messages.
inline constexpr char kWasWrittenTo[] = " was written to while it was read: what was made of it is worth nothing";

/// Returns the name of a watched file, open or closed by now, that was written to since it was opened; "" when there is none.
std::string changed_file();
/// Returns the name of a watched file, open or closed by now, whose pages were read as zeros; "" when there is none.
std::string unreadable_file();

// For handlers of signals: they take no lock, and return null when there is no such file.

const char* changed_file_for_handlers() noexcept;
const char* unreadable_file_for_handlers() noexcept;
const char* mapped_file_for_handlers(const void* address) noexcept;
const char* unchecked_file_for_handlers() noexcept;

}  // namespace graphrun
