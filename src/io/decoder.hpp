// SPDX-License-Identifier: Apache-2.0
// Compressed text by one interface: gzip, zstd, xz and bzip2, each through the library of its format.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// Reads text that is stored compressed or in an archive, piece by piece.
class Decoder {
 public:
  Decoder() = default;
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Fills `out`, and returns the number of bytes: fewer only at the end of the text. Throws DataError for data that are
  /// truncated, corrupted or followed by others; RunError without memory, or when the file asks for more than a decoder is given.
  virtual std::size_t read(std::span<char> out) = 0;
  /// Returns the bytes of the file that were read so far.
  virtual std::size_t offset() const = 0;
};

/// Returns the name of the compression of a file; null for none.
const char* compression_of(std::span<const std::byte> file);

/// Opens a file of one or more members (as gzip calls them; frames of zstd, streams of xz and bzip2); null for no such file.
/// `path`, for messages, and `file` must outlive it. Throws UnavailableError when the library of the format was missing where
/// this program was built.
std::unique_ptr<Decoder> make_decoder(const std::string& path, std::span<const std::byte> file);

}  // namespace graphrun::io::inline GR_IDS
