// The text of a file, whether it is stored plain (mapped, never copied) or compressed: in one piece, or a window of whole lines
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"
#include "io/decoder.hpp"

namespace graphrun::io::inline GR_IDS {

/// A window of the text of a file. It begins at the start of a line and ends after a line or with the file.
struct Text {
  std::string path;
  Column<char> bytes;
  std::uint64_t lines_before = 0;

  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + bytes.size(); }
};

/// Maps the file (or what came out of a pipe), or decompresses it (all members of it), or reads a member of an archive. Memory
/// follows what is really in the stream, not what it says of itself. All members throw DataError: missing, not a regular file,
/// empty, truncated or corrupted; UnavailableError: compressed in a way that this build cannot read.
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
  bool next_mapped(Text& window);
  bool next_decoded(Text& window);
  std::size_t decode(std::span<char> to);  // as Decoder::read

  std::string path_;
  std::size_t window_bytes_;
  std::shared_ptr<Region> file_;
  std::unique_ptr<Decoder> decoder_;  // null for plain text
  std::size_t position_ = 0;          // plain: of the next window
  std::string rest_;                  // compressed: the beginning of the next window
  Column<char> last_;                 // the window before, to be counted and released
  bool begun_ = false;                // there was a window
  std::uint64_t lines_ = 0;           // before the next window
};

/// The path of an input: "-" is standard input, an archive is the member that holds the graph ("ARCHIVE:MEMBER"). Throws as
/// open_member() (archive.hpp).
std::string input_path(const std::string& spec);

/// Whether a file is an archive, or a member of one is named. Throws as TextReader.
bool is_archived(const std::string& path);

/// Bytes of a member of an archive, where it says; nothing for other files. Throws as TextReader.
std::optional<std::uint64_t> archived_bytes(const std::string& path);

/// Name of the compression that a file is in, by its first bytes; null for none. Throws as TextReader.
const char* compression_of_file(const std::string& path);

/// A shell command that converts a text without one of its lines, which count from 1. Throws as TextReader.
std::string command_without_line(const std::string& path, std::uint64_t line);

/// Whether a name ends in `suffix`, perhaps with the suffix of a compression behind it.
bool has_suffix(std::string_view path, std::string_view suffix);

/// TextReader::head.
std::string read_head(const std::string& path, std::size_t limit);

/// Line of the file that the byte at `offset` of the window is on, 1-based.
std::uint64_t line_number(const Text& text, std::size_t offset);

}  // namespace graphrun::io::inline GR_IDS
