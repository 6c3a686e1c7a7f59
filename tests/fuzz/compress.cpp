// SPDX-License-Identifier: Apache-2.0

#include "fuzz/compress.hpp"

#include <zlib.h>
#if GRAPHRUN_HAS_ZSTD
#include <zstd.h>
#endif
#if GRAPHRUN_HAS_LZMA
#include <lzma.h>
#endif
#if GRAPHRUN_HAS_BZIP2
#include <bzlib.h>
#endif

#include <cstdint>
#include <stdexcept>

namespace graphrun::fuzz {
namespace {

void expect(bool fine, const char* library) {
  if (!fine) throw std::runtime_error(std::string(library) + " did not finish");
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  expect(::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string member(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  const int status = ::deflate(&stream, Z_FINISH);
  member.resize(stream.total_out);
  ::deflateEnd(&stream);
  expect(status == Z_STREAM_END, "zlib");
  return member;
}

#if GRAPHRUN_HAS_ZSTD
std::string zstd(std::string_view text) {
  std::string member(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(member.data(), member.size(), text.data(), text.size(), 1);
  expect(ZSTD_isError(size) == 0, "zstd");
  member.resize(size);
  return member;
}
#endif

#if GRAPHRUN_HAS_LZMA
std::string xz(std::string_view text) {
  std::string member(::lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  const lzma_ret status =
      ::lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                reinterpret_cast<std::uint8_t*>(member.data()), &size, member.size());
  expect(status == LZMA_OK, "lzma");
  member.resize(size);
  return member;
}
#endif

#if GRAPHRUN_HAS_BZIP2
std::string bzip2(std::string_view text) {
  constexpr unsigned kOverhead = 600;  // and a hundredth, says the manual
  auto size = static_cast<unsigned>(text.size() + text.size() / 100 + kOverhead);
  std::string member(size, '\0');
  expect(::BZ2_bzBuffToBuffCompress(member.data(), &size, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()), 1,
                                    0, 0) == BZ_OK,
         "bzip2");
  member.resize(size);
  return member;
}
#endif

}  // namespace

std::string compress(std::string_view text, unsigned choice) {
  switch (choice % kCompressions) {
#if GRAPHRUN_HAS_ZSTD
    case 1:
      return zstd(text);
#endif
#if GRAPHRUN_HAS_LZMA
    case 2:
      return xz(text);
#endif
#if GRAPHRUN_HAS_BZIP2
    case 3:
      return bzip2(text);
#endif
    default:
      return gzip(text);
  }
}

}  // namespace graphrun::fuzz
