// The text of a file, whether it is stored plain (mapped, never copied) or gzip-compressed: in one piece, or a window of
// whole lines at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "graphrun/graph/column.hpp"

namespace graphrun::io {

/// A window of the text of a file. It begins at the start of a line and ends after a line or with the file.
struct Text {
  std::string path;
  Column<char> bytes;
  std::uint64_t lines_before = 0;

  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + bytes.size(); }
};

/// Maps the file, or inflates it when it is gzip (all members of it). Memory follows what is really in the stream, not what
/// its trailer says. All members throw DataError: missing, not a regular file, empty, truncated or corrupted gzip.
class TextReader {
 public:
  static constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

  /// Windows of about `window_bytes`; longer only where a line is.
  explicit TextReader(const std::string& path, std::size_t window_bytes = kEverything);
  ~TextReader();

  /// The next window; false at the end. The last one is gone from memory then.
  bool next(Text& window);
  /// The first `limit` bytes, fewer when the file is shorter; sees only damage that lies before. Instead of next().
  std::string head(std::size_t limit);

 private:
  class Inflater;
  bool next_mapped(Text& window);
  bool next_inflated(Text& window);

  std::string path_;
  std::size_t window_bytes_;
  std::shared_ptr<Region> file_;
  std::unique_ptr<Inflater> inflater_;  // null for plain text
  std::size_t position_ = 0;            // plain: of the next window
  std::string rest_;                    // gzip: the beginning of the next window
  Column<char> last_;                   // the window before, to be counted and released
  bool begun_ = false;                  // there was a window
  std::uint64_t lines_ = 0;             // before the next window
};

/// The whole text at once.
Text open_text(const std::string& path);

/// By its first two bytes. Throws as TextReader.
bool is_gzip_file(const std::string& path);

/// TextReader::head.
std::string read_head(const std::string& path, std::size_t limit);

/// Line of the file that the byte at `offset` of the window is on, 1-based.
std::uint64_t line_number(const Text& text, std::size_t offset);

}  // namespace graphrun::io
