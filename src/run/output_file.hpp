// A file that takes its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace graphrun {

/// Written beside its target and renamed by commit(); without commit() nothing is left behind. A target that exists and is
/// not a regular file (a pipe, a terminal, /dev/null) is written to directly, because renaming would replace it.
/// All members throw DataError naming the file.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Flushes to the disk and renames.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the user wrote it
  std::string target_;     // with symbolic links resolved: they stay links
  std::string temporary_;  // empty when written to directly
  std::FILE* file_ = nullptr;
};

/// Throws DataError when OutputFile(path) would; leaves nothing behind.
void check_writable(const std::string& path);

}  // namespace graphrun
