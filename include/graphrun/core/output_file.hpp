// A file that takes its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace graphrun {

/// Where special targets are written to directly, so is this, also when it is a file.
inline constexpr const char* kStandardOutputPath = "/dev/stdout";

/// What to do with a target that exists and is not a regular file (a pipe, a terminal, /dev/null). Renaming would replace it.
enum class SpecialTarget {
  write_directly,  ///< for streams of results; then nothing is renamed and what was written before a failure stays
  refuse           ///< for files that are mapped later
};

/// Written without a name in the directory of its target, and given that name by commit(), so that the target is always the
/// old or the new file, whole, and nothing is left behind however the process ends, except in the instant when the complete
/// file is about to replace an old one: it then is TARGET.tmp.PID. On file systems without unnamed files (NFS, for one) it has
/// that name all along, and keeps it when the process is killed; it may be removed by hand.
/// Symbolic links stay links: the file they lead to is replaced. Not buffered: write in large pieces.
/// All members throw DataError naming the file. For one thread.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, SpecialTarget special = SpecialTarget::write_directly);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Goes on so many bytes further: zeros that take no room on the disk. Not for special targets.
  void skip(std::uint64_t bytes);
  /// Overwrites what was written at `offset`, all of it before written(). Not for special targets.
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  /// Makes the file `bytes` long, zeros where nothing is written, with its room on the disk. Not for special targets.
  void reserve(std::uint64_t bytes);
  /// For using the file in other ways before it has its name; valid until commit().
  int descriptor() const { return fd_; }
  /// Bytes written so far.
  std::uint64_t written() const { return written_; }
  /// Flushes to the disk, so that commit() has nothing left to do but to name the file: for several files that belong
  /// together. Nothing may be written afterwards. commit() calls it when the caller did not.
  void prepare();
  /// Gives the target its new contents.
  void commit();

 private:
  /// All of the data by put_some(from, at most so many bytes), which returns what write() does.
  template <class Some>
  void put(const void* data, std::size_t bytes, const Some& put_some) const;
  bool open_unnamed();
  void open_named();
  /// Gives an unnamed file its target's name, or, when there is an old target, the name temporary_ beside it: false then.
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
};

/// What a name leads to, whether it exists or not: two names of one file give the same.
std::filesystem::path real_path(const std::string& path);

/// Throws DataError when OutputFile(path, special) would; leaves nothing behind. For before a long run. A pipe is not
/// opened, because that would wait for its reader and then look to it like the end.
void check_writable(const std::string& path, SpecialTarget special = SpecialTarget::write_directly);

}  // namespace graphrun
