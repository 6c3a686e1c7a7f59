// A file that takes its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace graphrun {

/// What to do with a target that exists and is not a regular file (a pipe, a terminal, /dev/null). Renaming would replace it.
enum class SpecialTarget {
  write_directly,  ///< for streams of results; then nothing is renamed and what was written before a failure stays
  refuse           ///< for files that are mapped later
};

/// Written beside its target as TARGET.tmp.PID and renamed by commit(), so that the target is always the old or the new
/// file, whole. Without commit() nothing is left behind, unless the process is killed: then the TARGET.tmp.PID stays. It may
/// be removed by hand and hinders nobody: a name that is taken gets a further number (TARGET.tmp.PID.1 ...).
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
  /// Bytes written so far.
  std::uint64_t written() const { return written_; }
  /// Flushes to the disk and renames. Nothing may be written afterwards.
  void commit();

 private:
  void create_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the user wrote it
  std::string target_;     // with symbolic links resolved
  std::string temporary_;  // empty when written to directly, and after commit()
  int fd_ = -1;
  std::uint64_t written_ = 0;
};

/// Throws DataError when OutputFile(path, special) would; leaves nothing behind. For before a long run. A pipe is not
/// opened, because that would wait for its reader and then look to it like the end.
void check_writable(const std::string& path, SpecialTarget special = SpecialTarget::write_directly);

}  // namespace graphrun
