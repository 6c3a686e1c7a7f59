// SPDX-License-Identifier: Apache-2.0
// Routes of reads of a file: past the page cache, or from it (Bergman et al., SPIN, USENIX ATC 2017, section 4.3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun {

class BlockEngine;
struct StoreFile;

enum class Route {
  direct,      ///< past the page cache, also what it holds
  page_cache,  ///< through it: the kernel reads and keeps missing pages
  automatic,   ///< cached pages come from it, the rest past it
};

template <>
struct ChoicesOf<Route> {
  static constexpr const char* kWhat = "route";
  static constexpr Choice<Route> kAll[] = {
      {"direct", Route::direct}, {"page-cache", Route::page_cache}, {"auto", Route::automatic}};
};

/// Costs of transfers while storage is busy, in microseconds of its time and of a processor's, and in pages of the page cache
/// (SPIN, equation 1, has storage's time only; runs share their processors with the reads).
struct TransferCosts {
  double command_us = 12;       ///< a direct read of at most cutoff_pages
  double cutoff_pages = 5;      ///< the longest command that is bound by its own cost and not by its bytes
  double direct_page_us = 2.5;  ///< a further page of a direct read
  double cached_page_us = 0.5;  ///< a page that the page cache holds
  double touch_us = 0;          ///< the same, at its first touch in a mapping; 0: not known

  double direct(double pages) const { return pages == 0 ? 0 : command_us + std::max(0.0, pages - cutoff_pages) * direct_page_us; }
  double cached(double pages) const { return pages * cached_page_us; }
  /// Returns the costs in larger pages, for direct() and cached().
  TransferCosts in_pages_of(double pages) const {
    return {command_us, cutoff_pages / pages, direct_page_us * pages, cached_page_us * pages};
  }
};

/// Consecutive pages of a read with the same route.
struct RouteRun {
  std::uint32_t pages;
  bool cached;  ///< they come from the page cache, which holds them
};

/// Cached runs that are nevertheless read past the page cache.
struct MergedRuns {
  std::uint32_t runs = 0;
  std::uint32_t pages = 0;
};

/// Applies SPIN's greedy rule: cached runs between others go past the page cache too where saving a command is worth it. `runs`
/// are of alternating kinds, and stay so.
MergedRuns route_greedily(const TransferCosts& costs, std::vector<RouteRun>& runs);

/// Reads that are timed: `depth` out at a time, until `most` were begun or `most_ms` are over.
struct TimedReads {
  std::uint32_t bytes;
  std::uint32_t depth;
  std::uint64_t most;
  double most_ms;
};

/// Measures reads a second of the engine, read i at place(i), into memory that outlives it. Throws DataError when one fails, or
/// when they take 20 s.
double reads_per_second(BlockEngine& engine, Column<std::byte>& memory, const TimedReads& reads,
                        const std::function<std::uint64_t(std::uint64_t)>& place);

/// Measures direct reads of `bytes` of a file with about `depth` of them out: medians of three rounds, some ten milliseconds.
/// Small files have default costs. Throws DataError where too many bytes are not on the disk yet, and as open_uring_engine() and
/// reads_per_second().
TransferCosts calibrate_storage(const StoreFile& file, std::uint64_t bytes, std::uint32_t depth);

/// Reads by route.
struct RouteCounters {
  std::uint64_t direct_bytes = 0;    ///< past the page cache
  std::uint64_t cached_bytes = 0;    ///< copied from it, or with Route::page_cache through it
  std::uint64_t in_place_bytes = 0;  ///< read in the mapping; steps that read everything there are not counted
  std::uint64_t in_place_steps = 0;  ///< those steps
  std::uint64_t splits = 0;          ///< cuts in reads, between parts that go different ways
  std::uint64_t merges = 0;          ///< cached runs that were read past the page cache with what lies around them
  std::uint64_t merged_bytes = 0;    ///< and their bytes, which direct_bytes contains
  std::uint64_t dirty_bytes = 0;  ///< not yet on the disk when they were looked at: direct reads make the kernel write them first
  std::uint64_t ahead_bytes = 0;  ///< of direct_bytes and cached_bytes, what the reader read ahead of its clients
  std::uint64_t ahead_hit_bytes = 0;  ///< that clients were given from there

  RouteCounters& operator+=(const RouteCounters& more);
  RouteCounters operator-(const RouteCounters& less) const;
};

}  // namespace graphrun
