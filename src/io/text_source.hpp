// SPDX-License-Identifier: Apache-2.0
// The text of a file, plain (mapped, never copied) or compressed, in one piece or in windows of whole lines.
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

/// A reader of text: maps a file or the contents of a pipe, decompresses all members of a file, or reads a member of an archive.
/// Memory follows the contents of the stream, not its claims. All functions throw DataError (missing, not a regular file, empty,
/// truncated or corrupted) and UnavailableError (a compression that this build cannot read).
class TextReader {
 public:
  static constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

  /// Reads windows of about `window_bytes`; longer only where a line is.
  explicit TextReader(const std::string& path, std::size_t window_bytes = kEverything);
  ~TextReader();

  /// Reads the next window and frees the last one; returns false at the end.
  bool next(Text& window);
  /// Returns the first `limit` bytes, or all; sees only damage that lies before. Call it instead of next().
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

/// Returns the path of an input: of standard input for "-", of the member with the graph for an archive ("ARCHIVE:MEMBER").
/// Throws as find_member() (archive.hpp).
std::string input_path(const std::string& spec);

/// Returns whether a file is an archive, or a member of one is named. Throws as TextReader.
bool is_archived(const std::string& path);

/// Returns the bytes of a member of an archive, where it says; nothing for other files. Throws as TextReader.
std::optional<std::uint64_t> archived_bytes(const std::string& path);

/// Returns the name of the compression of a file; null for none. Throws as TextReader.
const char* compression_of_file(const std::string& path);

/// Returns a shell command that converts a text without one of its lines, which count from 1. Throws as TextReader.
std::string command_without_line(const std::string& path, std::uint64_t line);

/// Returns whether a name ends in `suffix`, perhaps followed by the suffix of a compression.
bool has_suffix(std::string_view path, std::string_view suffix);

/// Returns TextReader::head().
std::string read_head(const std::string& path, std::size_t limit);

/// Returns the line of the byte at `offset` of the window, from 1.
std::uint64_t line_number(const Text& text, std::size_t offset);

}  // namespace graphrun::io::inline GR_IDS
