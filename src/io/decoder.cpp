// SPDX-License-Identifier: Apache-2.0

#include "io/decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#define ZLIB_CONST
#include <zlib.h>
#if GRAPHRUN_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#if GRAPHRUN_HAS_LZMA
#include <lzma.h>
#endif
#if GRAPHRUN_HAS_BZIP2
#include <bzlib.h>
#endif

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;

// The libraries have one form: a stream that points at input and output, a call that goes on with both, and a status.
//
// begin() returns false without memory, again() begins another member, reason() is null for a status that is no fault.
// kMostMemory: what a decoder is given.

struct Gzip {
  using Stream = z_stream;
  static constexpr int kEnd = Z_STREAM_END, kNoMemory = Z_MEM_ERROR, kAsksForTooMuch = Z_NEED_DICT + 1;  // the latter never
  static constexpr std::uint64_t kMostMemory = 0;
  static bool begin(Stream& stream) { return ::inflateInit2(&stream, 15 + 16) == Z_OK; }
  static bool again(Stream& stream) { return ::inflateReset(&stream) == Z_OK; }
  static int run(Stream& stream) { return ::inflate(&stream, Z_NO_FLUSH); }
  static void end(Stream& stream) { ::inflateEnd(&stream); }
  static const char* reason(const Stream& stream, int status) {
    if (status == Z_OK || status == Z_BUF_ERROR) return nullptr;  // Z_BUF_ERROR: it needs more input than is left
    return stream.msg != nullptr ? stream.msg : "bad stream";
  }
};

#if GRAPHRUN_HAS_ZSTD
struct Zstd {
  struct Stream {
    ZSTD_DStream* decoder;
    const char* next_in;
    std::size_t avail_in;
    char* next_out;
    std::size_t avail_out;
  };
  static constexpr int kEnd = -1, kNoMemory = ZSTD_error_memory_allocation;
  static constexpr int kAsksForTooMuch = ZSTD_error_frameParameter_windowTooLarge;
  /// The library's own limit: zstd --ultra -22 needs it all, --long=28 more.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{128} << 20;
  static bool begin(Stream& stream) { return (stream.decoder = ZSTD_createDStream()) != nullptr; }
  static bool again(Stream& stream) { return ZSTD_isError(ZSTD_DCtx_reset(stream.decoder, ZSTD_reset_session_only)) == 0; }
  static int run(Stream& stream) {
    ZSTD_inBuffer from{stream.next_in, stream.avail_in, 0};
    ZSTD_outBuffer to{stream.next_out, stream.avail_out, 0};
    const std::size_t status = ZSTD_decompressStream(stream.decoder, &to, &from);
    stream.avail_in -= from.pos;
    stream.avail_out -= to.pos;
    return status == 0 ? kEnd : static_cast<int>(ZSTD_getErrorCode(status));
  }
  static void end(Stream& stream) { ZSTD_freeDStream(stream.decoder); }
  static const char* reason(const Stream&, int status) {
    return status == ZSTD_error_no_error ? nullptr : ZSTD_getErrorString(static_cast<ZSTD_ErrorCode>(status));
  }
};
#else
using Zstd = void;
#endif

#if GRAPHRUN_HAS_LZMA
struct Xz {
  using Stream = lzma_stream;
  static constexpr int kEnd = LZMA_STREAM_END, kNoMemory = LZMA_MEM_ERROR, kAsksForTooMuch = LZMA_MEMLIMIT_ERROR;
  /// xz -9 needs 65 MiB. A damaged header may ask for 4 GiB.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
  static bool begin(Stream& stream) { return ::lzma_stream_decoder(&stream, kMostMemory, 0) == LZMA_OK; }
  static bool again(Stream& stream) { return begin(stream); }
  static int run(Stream& stream) { return ::lzma_code(&stream, LZMA_RUN); }
  static void end(Stream& stream) { ::lzma_end(&stream); }
  static const char* reason(const Stream&, int status) {
    return status == LZMA_FORMAT_ERROR    ? "not xz"
           : status == LZMA_OPTIONS_ERROR ? "unknown options"
           : status == LZMA_DATA_ERROR    ? "bad data"
           : status == LZMA_PROG_ERROR    ? "bad stream"
                                          : nullptr;
  }
};
#else
using Xz = void;
#endif

#if GRAPHRUN_HAS_BZIP2
struct Bzip2 {
  using Stream = bz_stream;
  static constexpr int kEnd = BZ_STREAM_END, kNoMemory = BZ_MEM_ERROR, kAsksForTooMuch = BZ_STREAM_END + 1;  // the latter never
  static constexpr std::uint64_t kMostMemory = 0;
  static bool begin(Stream& stream) { return ::BZ2_bzDecompressInit(&stream, 0, 0) == BZ_OK; }
  static bool again(Stream& stream) {
    end(stream);
    return begin(stream = {});
  }
  static int run(Stream& stream) { return ::BZ2_bzDecompress(&stream); }
  static void end(Stream& stream) { ::BZ2_bzDecompressEnd(&stream); }
  static const char* reason(const Stream&, int status) {
    return status == BZ_OK ? nullptr : status == BZ_DATA_ERROR_MAGIC ? "not bzip2" : "bad data";
  }
};
#else
using Bzip2 = void;
#endif

/// Decodes member after member.
template <class Library>
class DecoderOf : public Decoder {
 public:
  /// `name` is the format's. `path`, for messages, and `file` must outlive the decoder.
  DecoderOf(const char* name, const std::string& path, Bytes file) : name_(name), path_(path), file_(file) {
    if (!Library::begin(stream_)) out_of_memory();
  }
  ~DecoderOf() override { Library::end(stream_); }

  std::size_t offset() const override { return position_; }
  std::size_t read(std::span<char> out) override {
    std::size_t made = 0;
    while (made < out.size() && !done_) {
      const std::size_t had_in = point_at(rest(), stream_.next_in, stream_.avail_in);
      const std::size_t had_out = point_at(out.subspan(made), stream_.next_out, stream_.avail_out);
      const bool ends = run();
      position_ += had_in - stream_.avail_in;
      made += had_out - stream_.avail_out;
      if (ends) {
        next_member();
      } else if (rest().empty() && made < out.size()) {
        raise<DataError>("{}: the {} data is truncated: it ends at byte {} in the middle of a stream", path_, name_, position_);
      } else if (had_in == stream_.avail_in && had_out == stream_.avail_out) {
        corrupted("no data follows");
      }
    }
    return made;
  }

 private:
  template <class Pointer, class Count, class Byte>
  static std::size_t point_at(std::span<Byte> bytes, Pointer& next, Count& available) {
    constexpr std::size_t kMostAtATime = std::size_t{1} << 30;  // zlib and bzip2 count in 32 bits
    next = reinterpret_cast<Pointer>(const_cast<std::remove_const_t<Byte>*>(bytes.data()));
    available = static_cast<Count>(std::min(bytes.size(), kMostAtATime));
    return available;
  }

  Bytes rest() const { return file_.subspan(position_); }

  /// Goes on with the member; returns true at its end.
  bool run() {
    const int status = Library::run(stream_);
    if (status == Library::kEnd) return true;
    if (status == Library::kNoMemory) out_of_memory();
    if (status == Library::kAsksForTooMuch) {
      raise<RunError>(
          "{}: the {} data needs more than {} of memory to be decompressed, which is more than is given to it: "
          "decompress it first",
          path_, name_, format_bytes(Library::kMostMemory));
    }
    if (const char* reason = Library::reason(stream_, status)) corrupted(reason);
    return false;
  }

  void next_member() {
    // Zero bytes after a member are padding of xz; after the last one, also padding of tapes and of some file systems.
    while (position_ < file_.size() && file_[position_] == std::byte{0}) ++position_;
    done_ = rest().empty();
    if (done_) return;
    const char* next = compression_of(rest());
    if (next == nullptr || std::string_view(next) != name_)
      raise<DataError>("{}: bytes after the end of the {} data, at byte {}", path_, name_, position_);
    if (!Library::again(stream_)) out_of_memory();
  }

  [[noreturn]] void corrupted(const char* reason) const {
    raise<DataError>("{}: the {} data is corrupted near byte {} ({})", path_, name_, position_, reason);
  }
  [[noreturn]] void out_of_memory() const { raise<RunError>("{} ran out of memory on {}", name_, path_); }

  const char* name_;
  const std::string& path_;
  Bytes file_;
  std::size_t position_ = 0;
  bool done_ = false;
  typename Library::Stream stream_{};
};

template <class Library>
std::unique_ptr<Decoder> decoder_of(const char* name, const std::string& path, Bytes file) {
  if constexpr (std::is_void_v<Library>) {
    return nullptr;
  } else {
    return std::make_unique<DecoderOf<Library>>(name, path, file);
  }
}

struct Compression {
  const char* name;
  bool (*recognises)(std::string_view head);
  std::unique_ptr<Decoder> (*make)(const char* name, const std::string& path, Bytes file);
  const char* package;  ///< of Debian, with the library
};

/// Lets a file pass that is too short for the whole magic number: it is truncated.
bool begins_with(std::string_view head, std::string_view magic) {
  return head.substr(0, magic.size()) == magic.substr(0, head.size());
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"sv); }
bool is_xz(std::string_view head) { return head.size() >= 4 && begins_with(head, "\xfd\x37\x7a\x58\x5a\0"sv); }

/// Returns whether a frame begins here, or one that decoders skip: parallel compressors write those.
bool is_zstd(std::string_view head) {
  const bool skippable = head.size() >= 4 && (head[0] & '\xf0') == '\x50' && head.substr(1).starts_with("\x2a\x4d\x18"sv);
  return skippable || head.starts_with("\x28\xb5\x2f\xfd"sv);
}

/// Returns whether bzip2 begins here: its magic number alone could begin a text, so looks at the digit and number after it, too.
bool is_bzip2(std::string_view head) {
  if (head.size() < 4 || !head.starts_with("BZh"sv) || head[3] < '1' || head[3] > '9') return false;
  return begins_with(head.substr(4), "1AY&SY"sv) || begins_with(head.substr(4), "\x17\x72\x45\x38\x50\x90"sv);
}

constexpr Compression kCompressions[] = {
    {"gzip", is_gzip, decoder_of<Gzip>, "zlib1g-dev"},
    {"zstd", is_zstd, decoder_of<Zstd>, "libzstd-dev"},
    {"xz", is_xz, decoder_of<Xz>, "liblzma-dev"},
    {"bzip2", is_bzip2, decoder_of<Bzip2>, "libbz2-dev"},
};

const Compression* recognise(Bytes file) {
  constexpr std::size_t kMagicHeadBytes = 16;
  const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min(file.size(), kMagicHeadBytes));
  const auto* found = std::ranges::find_if(kCompressions, [&](const Compression& each) { return each.recognises(head); });
  return found == std::end(kCompressions) ? nullptr : found;
}

}  // namespace

const char* compression_of(Bytes file) {
  const Compression* found = recognise(file);
  return found == nullptr ? nullptr : found->name;
}

std::unique_ptr<Decoder> make_decoder(const std::string& path, Bytes file) {
  const Compression* found = recognise(file);
  if (found == nullptr) return nullptr;
  auto decoder = found->make(found->name, path, file);
  if (decoder == nullptr) {
    raise<UnavailableError>(
        "{} is compressed with {}, which this program was built without: decompress it first, or install {} and "
        "build again",
        path, found->name, found->package);
  }
  return decoder;
}

}  // namespace graphrun::io::inline GR_IDS
