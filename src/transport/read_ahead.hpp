// SPDX-License-Identifier: Apache-2.0
// Read-ahead for reads past the page cache (Bergman et al., SPIN, USENIX ATC 2017, section 4.3.2).
//
// SPIN keeps what it reads ahead in a part of the page cache that it evicts by itself. A program cannot own pages there, so this
// reader holds the part in memory of its own, and other programs' pages stay cached. A file that changes is read again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// Limits of reading ahead.
struct ReadAheadLimits {
  std::uint32_t chunk_bytes = 512 << 10;  ///< longest read; a power of two
  std::uint32_t chunks = 8;               ///< held at once, of all streams together
  std::uint32_t reads_in_order = 3;       ///< that make a stream

  std::uint64_t bytes() const { return std::uint64_t{chunk_bytes} * chunks; }
  /// Returns the bytes out at a time above which clients keep storage busy without reading ahead.
  std::uint64_t busy_bytes() const { return bytes() / 2; }
};

/// Returns when a file of the store last changed, in nanoseconds since 1970.
using LastChange = std::function<std::int64_t(std::uint64_t file)>;

/// Wraps an engine whose files are only read. Reads that follow one another in order form a stream. The engine reads on after it,
/// in a window that doubles up to limits.bytes(), and serves the stream's later reads from there. It reads nothing ahead that the
/// page cache holds, and none while clients have more than busy_bytes() out. `engine` takes limits.chunks requests more than its
/// clients have out. Memory is allocated with the first stream.
std::unique_ptr<BlockEngine> read_streams_ahead(std::unique_ptr<BlockEngine> engine, LastChange last_change,
                                                const ReadAheadLimits& limits = {});

}  // namespace graphrun
