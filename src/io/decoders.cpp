#define ZLIB_CONST
#include "io/decoders.hpp"

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

#include <algorithm>
#include <cstdint>

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kMostAtATime = std::size_t{1} << 30;  // zlib and bzip2 count in 32 bits

template <class Stream, class In>
void point_at(Stream& stream, std::span<const std::byte> in, std::span<char> out) {
  stream.next_in = reinterpret_cast<In>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<unsigned>(std::min(in.size(), kMostAtATime));
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_out = static_cast<unsigned>(std::min(out.size(), kMostAtATime));
}

class GzipDecoder : public Decoder {
 public:
  GzipDecoder(const char* name, const std::string& path, Bytes file) : Decoder(name, path, file) {
    constexpr int kGzip = 15 + 16;
    if (::inflateInit2(&stream_, kGzip) != Z_OK) out_of_memory();
  }
  ~GzipDecoder() override { ::inflateEnd(&stream_); }

 private:
  Step decode(Bytes in, std::span<char> out) override {
    point_at<z_stream, const Bytef*>(stream_, in, out);
    const unsigned had_in = stream_.avail_in;
    const unsigned had_out = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) out_of_memory();
    // Z_BUF_ERROR: it needs more input than is left.
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      corrupted(stream_.msg != nullptr ? stream_.msg : "bad stream");
    }
    return {had_in - stream_.avail_in, had_out - stream_.avail_out, status == Z_STREAM_END};
  }
  void restart() override { ::inflateReset(&stream_); }

  z_stream stream_{};
};

#if GRAPHRUN_HAS_ZSTD
class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder(const char* name, const std::string& path, Bytes file)
      : Decoder(name, path, file), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) out_of_memory();
  }

 private:
  /// What the library gives by itself: zstd --ultra -22 needs it all, --long=28 more.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{128} << 20;

  Step decode(Bytes in, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &to, &from);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) out_of_memory();
      if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge) asks_for_too_much(kMostMemory);
      corrupted(ZSTD_getErrorName(status));
    }
    return {from.pos, to.pos, status == 0};
  }
  void restart() override { ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only); }

  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
};
#endif

#if GRAPHRUN_HAS_LZMA
class XzDecoder : public Decoder {
 public:
  XzDecoder(const char* name, const std::string& path, Bytes file) : Decoder(name, path, file) { begin(); }
  ~XzDecoder() override { ::lzma_end(&stream_); }

 private:
  /// xz -9 needs 65 MiB. A damaged header may ask for 4 GiB.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;

  void begin() {
    if (::lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) out_of_memory();
  }

  Step decode(Bytes in, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = ::lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_MEMLIMIT_ERROR) asks_for_too_much(kMostMemory);
    if (const char* reason = reason_of(status)) corrupted(reason);
    if (status == LZMA_MEM_ERROR) out_of_memory();
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, status == LZMA_STREAM_END};
  }
  void restart() override { begin(); }

  static const char* reason_of(lzma_ret status) {
    switch (status) {
      case LZMA_FORMAT_ERROR:
        return "not xz";
      case LZMA_OPTIONS_ERROR:
        return "unknown options";
      case LZMA_DATA_ERROR:
        return "bad data";
      case LZMA_PROG_ERROR:
        return "bad stream";
      default:
        return nullptr;
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};
#endif

#if GRAPHRUN_HAS_BZIP2
class Bzip2Decoder : public Decoder {
 public:
  Bzip2Decoder(const char* name, const std::string& path, Bytes file) : Decoder(name, path, file) { begin(); }
  ~Bzip2Decoder() override { ::BZ2_bzDecompressEnd(&stream_); }

 private:
  void begin() {
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) out_of_memory();
  }

  Step decode(Bytes in, std::span<char> out) override {
    point_at<bz_stream, char*>(stream_, in, out);
    const unsigned had_in = stream_.avail_in;
    const unsigned had_out = stream_.avail_out;
    const int status = ::BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) out_of_memory();
    if (status != BZ_OK && status != BZ_STREAM_END) corrupted(status == BZ_DATA_ERROR_MAGIC ? "not bzip2" : "bad data");
    return {had_in - stream_.avail_in, had_out - stream_.avail_out, status == BZ_STREAM_END};
  }
  void restart() override {
    ::BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    begin();
  }

  bz_stream stream_{};
};
#endif

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder(const char* name, const std::string& path, std::span<const std::byte> file) {
  return std::make_unique<GzipDecoder>(name, path, file);
}

std::unique_ptr<Decoder> make_zstd_decoder([[maybe_unused]] const char* name, [[maybe_unused]] const std::string& path,
                                           [[maybe_unused]] std::span<const std::byte> file) {
#if GRAPHRUN_HAS_ZSTD
  return std::make_unique<ZstdDecoder>(name, path, file);
#else
  return nullptr;
#endif
}

std::unique_ptr<Decoder> make_xz_decoder([[maybe_unused]] const char* name, [[maybe_unused]] const std::string& path,
                                         [[maybe_unused]] std::span<const std::byte> file) {
#if GRAPHRUN_HAS_LZMA
  return std::make_unique<XzDecoder>(name, path, file);
#else
  return nullptr;
#endif
}

std::unique_ptr<Decoder> make_bzip2_decoder([[maybe_unused]] const char* name, [[maybe_unused]] const std::string& path,
                                            [[maybe_unused]] std::span<const std::byte> file) {
#if GRAPHRUN_HAS_BZIP2
  return std::make_unique<Bzip2Decoder>(name, path, file);
#else
  return nullptr;
#endif
}

}  // namespace graphrun::io::inline GR_IDS
