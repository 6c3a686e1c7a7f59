// SPDX-License-Identifier: Apache-2.0
// A file that takes its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace graphrun {

/// A path that is written to directly like a special target, also when it is a file.
inline constexpr const char* kStandardOutputPath = "/dev/stdout";

/// How to treat a target that exists and is not a regular file (a pipe, a terminal, /dev/null). Renaming would replace it.
enum class SpecialTarget {
  write_directly,  ///< for streams of results; then nothing is renamed and what was written before a failure stays
  refuse           ///< for files that are mapped later
};

/// A file without a name in its target's directory, which commit() names: the target is always the old or the new file, whole.
/// Only while the complete file replaces an old one it is TARGET.tmp.PID; on file systems without unnamed files (NFS) it has that
/// name all along, and keeps it when the process is killed. Symbolic links stay: the file they lead to is replaced.
/// Unbuffered: write in large pieces. All members throw DataError naming the file. For one thread.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, SpecialTarget special = SpecialTarget::write_directly);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Skips bytes: zeros that take no room on the disk. Not for special targets.
  void skip(std::uint64_t bytes);
  /// Overwrites what was written at `offset`, all of it before written(). Not for special targets.
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  /// Makes the file `bytes` long, zeros where nothing is written, with its room on the disk. Not for special targets.
  void reserve(std::uint64_t bytes);
  int descriptor() const { return fd_; }              ///< valid until commit()
  std::uint64_t written() const { return written_; }  ///< bytes so far
  /// Flushes to the disk, so that commit() only names the file: for several files that belong together. Nothing may be written
  /// afterwards. commit() calls it when the caller did not.
  void prepare();
  /// Gives the target its new contents.
  void commit();

 private:
  /// Writes all data by put_some(from, most), which returns what write() does.
  template <class Some>
  void put(const void* data, std::size_t bytes, const Some& put_some) const;
  bool open_unnamed();
  void open_named();
  /// Gives an unnamed file its target's name. Where there is an old target: the name temporary_ beside it, and returns false.
  bool name_unnamed();
  /// Creates a name beside the target with `create(name)`, which fails with EEXIST when it is taken; returns it.
  template <class Create>
  std::string name_beside_target(const Create& create) const;
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the user wrote it
  std::string target_;     // with symbolic links resolved
  bool direct_ = false;    // a special target, which is never renamed
  std::string temporary_;  // its name beside the target, if it has one
  int fd_ = -1;
  bool prepared_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t flushing_ = 0;  // bytes that the disk already takes while more are written; prepare() waits for all
};

/// Resolves a name, whether it exists or not: two names of one file give the same.
std::filesystem::path real_path(const std::string& path);

/// Throws DataError when OutputFile(path, special) would, and leaves nothing: for before a long run. Opens no pipe, which would
/// wait for its reader and look to it like the end.
void check_writable(const std::string& path, SpecialTarget special = SpecialTarget::write_directly);

}  // namespace graphrun
