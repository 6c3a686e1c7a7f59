// A file that stays open while it is read in place, and that other processes may write to meanwhile.
//
// Offsets, ids and weights are checked once, when a file is opened, and kernels trust them: a check at each edge would cost as
// much as the edge. A file that is overwritten, cut or lengthened later can make a run wrong, end it with a fault, or keep it
// from ending. What can be known is that the file is not what it was: its size or the time of its last change differs. Programs
// look at all watched files when a run fails, when it ends, and a few times a second in between (apps/changed_files.hpp). Of a
// container, pages that were cut off read as zeros (read_zeros()), so that a run ends and check_unchanged() says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphrun {

/// Watched as long as it lives: the first 512 of a process. What was open when another file took its name is as it was.
/// Move-only. Making and destroying: any thread.
class WatchedFile {
 public:
  /// No file.
  WatchedFile() = default;
  /// Opens a regular file for reading; does not wait for a pipe's other end. Throws DataError naming it.
  explicit WatchedFile(const std::string& path);
  ~WatchedFile();
  WatchedFile(WatchedFile&& other) noexcept;
  WatchedFile& operator=(WatchedFile&& other) noexcept;

  /// For reading it in other ways; -1 for no file.
  int descriptor() const { return fd_; }
  /// As it was opened; empty for no file.
  const std::string& path() const { return path_; }
  /// When it was opened.
  std::uint64_t bytes() const { return bytes_; }

  /// Tells handlers of faults where it is mapped.
  void set_mapping(const void* begin, std::size_t bytes) const;
  /// Tells them that its contents were not checked.
  void set_unchecked() const;
  /// From now on, pages of the mapping that cannot be read are zeros, where SIGBUS would end the process: after the file was cut,
  /// or when its disk fails. The first call puts a handler of SIGBUS in front of the one that the process has, which gets all
  /// other faults.
  void read_zeros() const;
  /// Throws DataError when it was written to since it was opened, or pages of it were read as zeros.
  void check_unchanged() const;

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  int slot_ = -1;  ///< in the table of watched files; -1 where it has no room
};

/// Tells handlers of faults what is mapped at an address, where no WatchedFile mapped it. It is named as long as this lives: the
/// first 512 of a process. Making and destroying: any thread.
class NamedMapping {
 public:
  NamedMapping(const std::string& name, const void* begin, std::size_t bytes);
  ~NamedMapping();
  NamedMapping(const NamedMapping&) = delete;
  NamedMapping& operator=(const NamedMapping&) = delete;

 private:
  int slot_;
};

/// What follows the name of a file that was written to.
inline constexpr char kWasWrittenTo[] = " was written to while it was read: what was made of it is worth nothing";

/// The name of a watched file that was written to since it was opened; empty when there is none.
std::string changed_file();

// The same for handlers of signals: they take no lock. The names are null when there is no such file.

const char* changed_file_for_handlers() noexcept;
/// The file that is mapped around `address`.
const char* mapped_file_for_handlers(const void* address) noexcept;
/// A file that was opened without checking its contents.
const char* unchecked_file_for_handlers() noexcept;

}  // namespace graphrun
