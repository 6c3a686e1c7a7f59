// SPDX-License-Identifier: Apache-2.0

#include "core/gzip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
constexpr int kGzipWindowBits = 15 + 16;  // the largest window, with the header of gzip
constexpr int kUsualMemoryLevel = 8;

}  // namespace

struct GzipWriter::Stream {
  z_stream state{};
  std::vector<Bytef> piece = std::vector<Bytef>(kPieceBytes);
};

GzipWriter::GzipWriter(Sink sink) : sink_(std::move(sink)), stream_(std::make_unique<Stream>()) {
  const int begun =
      ::deflateInit2(&stream_->state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kUsualMemoryLevel, Z_DEFAULT_STRATEGY);
  if (begun != Z_OK) throw RunError("not enough memory to compress");
}

GzipWriter::~GzipWriter() { ::deflateEnd(&stream_->state); }

void GzipWriter::write(const void* data, std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  const auto* from = static_cast<const Bytef*>(data);
  while (bytes != 0) {
    const std::size_t some = std::min(bytes, kMost);
    stream_->state.next_in = const_cast<Bytef*>(from);  // which zlib only reads
    stream_->state.avail_in = static_cast<uInt>(some);
    compress(Z_NO_FLUSH);
    from += some;
    bytes -= some;
  }
}

void GzipWriter::finish() { compress(Z_FINISH); }

/// Compresses all input (Z_NO_FLUSH), or all that is left (Z_FINISH).
void GzipWriter::compress(int flush) {
  z_stream& state = stream_->state;
  do {
    state.next_out = stream_->piece.data();
    state.avail_out = static_cast<uInt>(kPieceBytes);
    ::deflate(&state, flush);
    sink_(stream_->piece.data(), kPieceBytes - state.avail_out);
  } while (state.avail_out == 0);
}

}  // namespace graphrun
