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

constexpr std::size_t kZlibSliceBytes = std::size_t{1} << 30;  // zlib counts in 32 bits

/// A gzip stream of one or more members, read piece by piece.
class Inflater {
 public:
  Inflater(const std::string& path, std::span<const std::byte> input)
      : path_(path), begin_(reinterpret_cast<const Bytef*>(input.data())), end_(begin_ + input.size()) {
    stream_.next_in = begin_;
    if (::inflateInit2(&stream_, 15 + 16) != Z_OK) throw RunError("cannot set up zlib");
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

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

Column<char> inflate_all(const std::string& path, const Region& file) {
  Inflater inflater(path, {file.data(), file.bytes()});
  std::size_t used = 0;
  auto text = Column<char>::allocate(std::max<std::size_t>(4 * file.bytes(), 1 << 16));
  for (;;) {
    used += inflater.read(text.data() + used, text.size() - used);
    if (used < text.size()) break;
    auto larger = Column<char>::allocate(2 * text.size());
    std::memcpy(larger.data(), text.data(), used);
    text = std::move(larger);
  }
  text.truncate(used);
  return text;
}

}  // namespace

Text open_text(const std::string& path) {
  auto file = map_regular(path);
  Text text{path, {}};
  if (is_gzip(*file)) {
    ::madvise(file->data(), file->bytes(), MADV_SEQUENTIAL);
    text.bytes = inflate_all(path, *file);
    if (text.bytes.empty()) throw DataError(fmt::format("{} is empty", path));
  } else {
    ::madvise(file->data(), file->bytes(), MADV_WILLNEED);
    const std::size_t bytes = file->bytes();
    text.bytes = Column<char>::window(std::move(file), 0, bytes);
  }
  return text;
}

std::string read_head(const std::string& path, std::size_t limit) {
  const auto file = map_regular(path);
  std::string head;
  if (is_gzip(*file)) {
    head.resize(limit);
    Inflater inflater(path, {file->data(), file->bytes()});
    head.resize(inflater.read(head.data(), limit));
    if (head.empty()) throw DataError(fmt::format("{} is empty", path));
  } else {
    head.assign(reinterpret_cast<const char*>(file->data()), std::min(limit, file->bytes()));
  }
  return head;
}

std::size_t line_number(const Text& text, std::size_t offset) {
  return static_cast<std::size_t>(std::count(text.begin(), text.begin() + std::min(offset, text.bytes.size()), '\n')) + 1;
}

}  // namespace graphrun::io
