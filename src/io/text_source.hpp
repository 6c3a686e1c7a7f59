// The text of a file in one piece of memory, whether it is stored plain (mapped, never copied) or gzip-compressed.
#pragma once

#include <cstddef>
#include <string>

#include "graphrun/graph/column.hpp"

namespace graphrun::io {

/// All bytes of a text file. Offsets and line numbers refer to the decompressed text.
struct Text {
  std::string path;
  Column<char> bytes;

  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + bytes.size(); }
};

/// Maps the file, and inflates it into memory when it is gzip (all members of it). Memory follows what is really in the
/// stream, not what its trailer says. Throws DataError: missing, not a regular file, empty, truncated or corrupted gzip.
Text open_text(const std::string& path);

/// The first `limit` bytes of the decompressed content, fewer when the file is shorter. Throws as open_text, but sees
/// only damage that lies before the limit.
std::string read_head(const std::string& path, std::size_t limit);

/// Line that the byte at `offset` is on, 1-based.
std::size_t line_number(const Text& text, std::size_t offset);

}  // namespace graphrun::io
