// SPDX-License-Identifier: Apache-2.0

#include "io/text_source.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "io/archive.hpp"
#include "io/pipe_input.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

std::uint64_t count_lines(const char* text, std::size_t bytes) {
  return static_cast<std::uint64_t>(std::count(text, text + bytes, '\n'));
}

constexpr std::size_t kReleaseBytes = std::size_t{1} << 20;

/// Maps a file, or the archive that a member is in.
std::shared_ptr<Region> map_regular(const std::string& name) {
  if (is_pipe(name)) return read_pipe(name);
  const std::string path = split_member(name).file;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) raise_errno<DataError>("cannot open {}", path);
  if (S_ISDIR(status.st_mode)) raise<DataError>("{} is a directory, not a graph file", path);
  if (!S_ISREG(status.st_mode)) raise<DataError>("{} is not a regular file", path);
  auto region = Region::map_file(path);
  if (region->bytes() == 0) raise<DataError>("{} is empty", path);
  return region;
}

std::span<const std::byte> stored_bytes(const Region& file) { return {file.data(), file.bytes()}; }

}  // namespace

TextReader::TextReader(const std::string& path, std::size_t window_bytes)
    : path_(path), window_bytes_(window_bytes), file_(map_regular(path)) {
  decoder_ = open_member(path_, stored_bytes(*file_));
  if (decoder_ == nullptr) {
    if (const InputName name = split_member(path_); !name.member.empty())
      raise<DataError>("cannot open {}: there is no such file, and {} is no archive", path_, name.file);
    decoder_ = make_decoder(path_, stored_bytes(*file_));
  }
  const bool at_once = decoder_ == nullptr && window_bytes_ >= file_->bytes();
  ::madvise(file_->data(), file_->bytes(), at_once ? MADV_WILLNEED : MADV_SEQUENTIAL);
}

TextReader::~TextReader() = default;

std::string TextReader::head(std::size_t limit) {
  if (!decoder_) return {reinterpret_cast<const char*>(file_->data()), std::min(limit, file_->bytes())};
  std::string head(limit, '\0');
  head.resize(decoder_->read(head));
  if (head.empty()) raise<DataError>("{} is empty", path_);
  return head;
}

bool TextReader::next(Text& window) {
  const bool more = decoder_ != nullptr || position_ < file_->bytes();
  if (!last_.empty() && more) lines_ += count_lines(last_.data(), last_.size());
  last_.release(0, last_.size());
  last_ = {};  // before the next buffer is made
  window.path = path_;
  window.lines_before = lines_;
  if (!(decoder_ ? next_decoded(window) : next_mapped(window))) return false;
  last_ = window.bytes;
  begun_ = true;
  return true;
}

bool TextReader::next_mapped(Text& window) {
  const auto* text = reinterpret_cast<const char*>(file_->data());
  const std::size_t left = file_->bytes() - position_;
  if (left == 0) return false;
  std::size_t size = left;
  if (window_bytes_ < left) {
    const void* newline = std::memchr(text + position_ + window_bytes_, '\n', left - window_bytes_);
    if (newline != nullptr) size = static_cast<std::size_t>(static_cast<const char*>(newline) + 1 - text) - position_;
  }
  window.bytes = Column<char>::window(file_, position_, size);
  position_ += size;
  return true;
}

std::size_t TextReader::decode(std::span<char> to) {
  constexpr std::size_t kSliceBytes = std::size_t{4} << 20;
  Progress progress("decompressing", file_->bytes(), "bytes");
  progress.advance(decoder_->offset());
  for (std::size_t filled = 0;;) {
    const std::size_t before = decoder_->offset();
    const std::size_t wanted = std::min(kSliceBytes, to.size() - filled);
    const std::size_t got = decoder_->read(to.subspan(filled, wanted));
    progress.advance(decoder_->offset() - before);
    file_->release(0, decoder_->offset() / kReleaseBytes * kReleaseBytes);
    filled += got;
    if (got < wanted || filled == to.size()) return filled;
  }
}

bool TextReader::next_decoded(Text& window) {
  constexpr std::size_t kFirstGuess = 4;  // text of numbers shrinks to about a quarter
  constexpr std::size_t kSmallest = std::size_t{1} << 16;
  const std::size_t wanted = std::max(kSmallest, std::min(window_bytes_, kFirstGuess * file_->bytes()));
  auto buffer = Column<char>::allocate(wanted + rest_.size());
  std::size_t filled = rest_.size();
  std::memcpy(buffer.data(), rest_.data(), filled);
  rest_.clear();
  for (;;) {
    filled += decode({buffer.data() + filled, buffer.size() - filled});
    if (filled < buffer.size()) break;  // the end of the file
    if (window_bytes_ != kEverything) {
      const void* newline = ::memrchr(buffer.data(), '\n', filled);
      if (newline != nullptr) {
        const auto whole = static_cast<std::size_t>(static_cast<const char*>(newline) + 1 - buffer.data());
        rest_.assign(buffer.data() + whole, filled - whole);
        filled = whole;
        break;
      }
    }
    auto larger = Column<char>::allocate(2 * buffer.size());
    std::memcpy(larger.data(), buffer.data(), filled);
    buffer = std::move(larger);
  }
  if (filled == 0) {
    if (!begun_) raise<DataError>("{} is empty", path_);
    return false;
  }
  buffer.truncate(filled);
  window.bytes = std::move(buffer);
  return true;
}

bool has_suffix(std::string_view path, std::string_view suffix) {
  for (const std::string_view compressed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (path.ends_with(compressed)) path.remove_suffix(compressed.size());
  }
  return path.ends_with(suffix);
}

bool is_archived(const std::string& path) { return archive_kind(stored_bytes(*map_regular(path))) != nullptr; }

std::string input_path(const std::string& spec) {
  const std::string path = spec == "-" ? kStandardInputPath : spec;
  struct stat status {};
  if (is_pipe(path) || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return path;
  const InputName name = split_member(path);
  const auto member = name.member.empty() ? find_member(path, stored_bytes(*map_regular(path))) : std::nullopt;
  return member ? path + ":" + member->name : path;
}

std::optional<std::uint64_t> archived_bytes(const std::string& path) {
  const auto member = find_member(path, stored_bytes(*map_regular(path)));
  return member ? member->bytes : std::nullopt;
}

const char* compression_of_file(const std::string& path) { return compression_of(stored_bytes(*map_regular(path))); }

std::string command_without_line(const std::string& path, std::uint64_t line) {
  constexpr std::pair<std::string_view, std::string_view> kPrograms[] = {
      {"gzip", "zcat"}, {"zstd", "zstdcat"}, {"xz", "xzcat"}, {"bzip2", "bzcat"}};
  const auto file = map_regular(path);
  std::string read = member_command(path, stored_bytes(*file));
  if (read.empty()) {
    const char* const compression = compression_of(stored_bytes(*file));
    for (const auto& [name, program] : kPrograms) {
      if (compression != nullptr && compression == name) read = fmt::format("{} {}", program, path);
    }
  }
  return read.empty() ? fmt::format("sed {}d {} | graphconv - OUT.grf", line, path)
                      : fmt::format("{} | sed {}d | graphconv - OUT.grf", read, line);
}

std::string read_head(const std::string& path, std::size_t limit) {
  const auto member = limit <= kMemberHeadBytes ? find_member(path, stored_bytes(*map_regular(path))) : std::nullopt;
  if (!member) return TextReader(path, limit).head(limit);
  if (member->head.empty()) raise<DataError>("{} is empty", path);
  return member->head.substr(0, limit);
}

std::uint64_t line_number(const Text& text, std::size_t offset) {
  return text.lines_before + count_lines(text.begin(), std::min(offset, text.bytes.size())) + 1;
}

}  // namespace graphrun::io::inline GR_IDS
