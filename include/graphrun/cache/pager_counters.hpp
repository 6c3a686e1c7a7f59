// What a cache has asked storage for.
#pragma once

#include <cstdint>

namespace graphrun {

/// Since the last reset.
struct PagerCounters {
  std::uint64_t misses = 0;  ///< commands to storage that read
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;

  PagerCounters& operator+=(const PagerCounters& more) {
    misses += more.misses;
    bytes_read += more.bytes_read;
    bytes_written += more.bytes_written;
    return *this;
  }
};

}  // namespace graphrun
