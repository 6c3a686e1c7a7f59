#define ZLIB_CONST
#include "io/text_source.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "graphrun/core/error.hpp"

namespace graphrun::io {
namespace {

std::uint64_t count_lines(const char* text, std::size_t bytes) {
  return static_cast<std::uint64_t>(std::count(text, text + bytes, '\n'));
}

constexpr std::size_t kReleaseBytes = std::size_t{1} << 20;
constexpr std::size_t kZlibSliceBytes = std::size_t{1} << 30;  // zlib counts in 32 bits

std::shared_ptr<Region> map_regular(const std::string& path) {
  // Asked before the file is opened: opening a FIFO would wait for a writer.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw DataError(fmt::format("{} is a directory, not a graph file", path));
  if (!S_ISREG(status.st_mode)) throw DataError(fmt::format("{} is not a regular file", path));
  auto region = Region::map_file(path);
  if (region->bytes() == 0) throw DataError(fmt::format("{} is empty", path));
  return region;
}

bool is_gzip(const Region& file) {
  return file.bytes() >= 2 && file.data()[0] == std::byte{0x1f} && file.data()[1] == std::byte{0x8b};
}

}  // namespace

/// A gzip stream of one or more members, read piece by piece.
class TextReader::Inflater {
 public:
  Inflater(const std::string& path, std::span<const std::byte> input)
      : path_(path), begin_(reinterpret_cast<const Bytef*>(input.data())), end_(begin_ + input.size()) {
    stream_.next_in = begin_;
    if (::inflateInit2(&stream_, 15 + 16) != Z_OK) throw RunError("cannot set up zlib");
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Takes the input that was read out of memory.
  void release_input(const Region& file) const { file.release(0, offset() / kReleaseBytes * kReleaseBytes); }

  /// Fills `out`; returns how much of it. Less than asked for only at the end of the stream.
  std::size_t read(char* out, std::size_t room) {
    std::size_t produced = 0;
    while (produced < room && !done_) {
      const std::size_t slice = std::min(room - produced, kZlibSliceBytes);
      stream_.next_out = reinterpret_cast<Bytef*>(out + produced);
      stream_.avail_out = static_cast<uInt>(slice);
      stream_.avail_in = static_cast<uInt>(std::min(remaining(), kZlibSliceBytes));
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      produced += slice - stream_.avail_out;
      if (status == Z_STREAM_END) {
        next_member();
      } else if (status == Z_MEM_ERROR) {
        throw RunError(fmt::format("zlib ran out of memory on {}", path_));
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw DataError(fmt::format("{}: the gzip data is corrupted near byte {} ({})", path_, offset(),
                                    stream_.msg != nullptr ? stream_.msg : "bad stream"));
      } else if (stream_.avail_out != 0 && remaining() == 0) {
        throw DataError(
            fmt::format("{}: the gzip data is truncated: it ends at byte {} in the middle of a stream", path_, offset()));
      }
    }
    return produced;
  }

 private:
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - stream_.next_in); }
  std::size_t offset() const { return static_cast<std::size_t>(stream_.next_in - begin_); }

  void next_member() {
    // Zero bytes after the last member are padding of tapes and of some file systems; gzip accepts them, too.
    if (std::all_of(stream_.next_in, end_, [](Bytef byte) { return byte == 0; })) {
      done_ = true;
      return;
    }
    if (remaining() < 2 || stream_.next_in[0] != 0x1f || stream_.next_in[1] != 0x8b) {
      throw DataError(fmt::format("{}: bytes after the end of the gzip data, at byte {}", path_, offset()));
    }
    ::inflateReset(&stream_);
  }

  const std::string& path_;
  const Bytef* begin_;
  const Bytef* end_;
  z_stream stream_{};
  bool done_ = false;
};

TextReader::TextReader(const std::string& path, std::size_t window_bytes)
    : path_(path), window_bytes_(window_bytes), file_(map_regular(path)) {
  if (is_gzip(*file_)) inflater_ = std::make_unique<Inflater>(path_, std::span(file_->data(), file_->bytes()));
  const bool at_once = inflater_ == nullptr && window_bytes_ >= file_->bytes();
  ::madvise(file_->data(), file_->bytes(), at_once ? MADV_WILLNEED : MADV_SEQUENTIAL);
}

TextReader::~TextReader() = default;

std::string TextReader::head(std::size_t limit) {
  if (!inflater_) return {reinterpret_cast<const char*>(file_->data()), std::min(limit, file_->bytes())};
  std::string head(limit, '\0');
  head.resize(inflater_->read(head.data(), limit));
  if (head.empty()) throw DataError(fmt::format("{} is empty", path_));
  return head;
}

bool TextReader::next(Text& window) {
  const bool more = inflater_ != nullptr || position_ < file_->bytes();
  if (!last_.empty() && more) lines_ += count_lines(last_.data(), last_.size());
  last_.release(0, last_.size());
  last_ = {};  // before the next buffer is made
  window.path = path_;
  window.lines_before = lines_;
  if (!(inflater_ ? next_inflated(window) : next_mapped(window))) return false;
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

bool TextReader::next_inflated(Text& window) {
  constexpr std::size_t kFirstGuess = 4;  // text of numbers shrinks to about a quarter
  constexpr std::size_t kSmallest = std::size_t{1} << 16;
  const std::size_t wanted = std::max(kSmallest, std::min(window_bytes_, kFirstGuess * file_->bytes()));
  auto buffer = Column<char>::allocate(wanted + rest_.size());
  std::size_t filled = rest_.size();
  std::memcpy(buffer.data(), rest_.data(), filled);
  rest_.clear();
  for (;;) {
    filled += inflater_->read(buffer.data() + filled, buffer.size() - filled);
    inflater_->release_input(*file_);
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
    if (!begun_) throw DataError(fmt::format("{} is empty", path_));
    return false;
  }
  buffer.truncate(filled);
  window.bytes = std::move(buffer);
  return true;
}

Text open_text(const std::string& path) {
  TextReader reader(path);
  Text text;
  reader.next(text);
  return text;
}

bool is_gzip_file(const std::string& path) { return is_gzip(*map_regular(path)); }

std::string read_head(const std::string& path, std::size_t limit) {
  TextReader reader(path, limit);
  return reader.head(limit);
}

std::uint64_t line_number(const Text& text, std::size_t offset) {
  return text.lines_before + count_lines(text.begin(), std::min(offset, text.bytes.size())) + 1;
}

}  // namespace graphrun::io
