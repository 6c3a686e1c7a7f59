// What a cache has asked storage for.
#pragma once

#include <cstdint>

namespace graphrun {

/// Since the last reset.
struct PagerCounters {
  std::uint64_t misses = 0;  ///< commands to storage that read
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

}  // namespace graphrun
