// Compressed text: gzip, zstd, xz and bzip2 behind one interface, each through the library of its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// Decodes a file of one or more members (as gzip calls them; frames of zstd, streams of xz and bzip2), piece by piece.
class Decoder {
 public:
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Fills `out`; returns how much of it. Less than asked for only at the end of the last member. Throws DataError for data that
  /// are truncated or corrupted, or followed by others; RunError without memory, or when the file
  /// asks for more than a decoder is given.
  std::size_t read(std::span<char> out);
  /// Bytes of the file that were read so far.
  std::size_t offset() const { return position_; }

 protected:
  using Bytes = std::span<const std::byte>;
  struct Step {
    std::size_t taken = 0;  ///< bytes of the input
    std::size_t made = 0;   ///< bytes of text
    bool ends_member = false;
  };

  /// `name` is the format's. `path`, for messages, and `file` must outlive the decoder.
  Decoder(const char* name, const std::string& path, Bytes file) : name_(name), path_(path), file_(file) {}

  /// Goes on with the member; `in` is the rest of the file. Throws through the three functions below.
  virtual Step decode(Bytes in, std::span<char> out) = 0;
  /// Begins another member.
  virtual void restart() = 0;

  [[noreturn]] void corrupted(const char* reason) const;
  [[noreturn]] void out_of_memory() const;
  /// The file asks for more memory than a decoder is given, which is `most_bytes`.
  [[noreturn]] void asks_for_too_much(std::uint64_t most_bytes) const;

 private:
  Bytes rest() const { return file_.subspan(position_); }
  void next_member();

  const char* name_;
  const std::string& path_;
  Bytes file_;
  std::size_t position_ = 0;
  bool done_ = false;
};

/// Name of the compression that a file beginning like `file` is in; null for none.
const char* compression_of(std::span<const std::byte> file);

/// What reads a file of that compression; null for none. `path`, for messages, and `file` must outlive it. Throws
/// UnavailableError when the library of the format was missing where this program was built.
std::unique_ptr<Decoder> make_decoder(const std::string& path, std::span<const std::byte> file);

}  // namespace graphrun::io::inline GR_IDS
