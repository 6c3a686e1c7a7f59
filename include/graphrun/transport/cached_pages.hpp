// SPDX-License-Identifier: Apache-2.0
// Pages of a file in the page cache, by the kernel's own account. Reading with RWF_NOWAIT would tell, too, but since Linux 5.16
// it begins to read missing pages.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/watched_file.hpp"
#include "graphrun/transport/route.hpp"

namespace graphrun {

/// Returns the bytes of a page of the page cache.
std::size_t cache_page_bytes();

/// Pages of a stretch of a file that the page cache holds.
struct CachedCount {
  std::uint64_t cached = 0;
  std::uint64_t dirty = 0;  ///< of those, not yet written to the disk
};

/// Counts cached pages. Returns nothing without cachestat (Linux 6.5), on overlayfs, whose pages it does not see, and for other
/// users' files; errno says which.
std::optional<CachedCount> count_cached(int fd, std::uint64_t begin, std::uint64_t end);

/// The state of a file in the page cache at the last look. Any thread may call any member but measure_costs() and suppose().
class CachedPages {
 public:
  using Clock = std::chrono::steady_clock;

  /// Maps the file `fd` is open for; `bytes` of it. The descriptor stays the caller's. Throws DataError.
  CachedPages(const std::string& name, int fd, std::uint64_t bytes);
  ~CachedPages();

  /// Returns false where the kernel does not tell; then no page counts as cached.
  bool can_tell() const { return can_tell_; }

  /// Looks again at bytes [begin, end) where the last look is older than `oldest`. Returns the dirty bytes that it found.
  std::uint64_t look(std::uint64_t begin, std::uint64_t end, std::chrono::milliseconds oldest);

  /// Asks the kernel whether it holds any of these bytes by now, though none at the last look, and looks again if so.
  /// Returns the dirty bytes of the file's stretch.
  std::uint64_t look_for_more(std::uint64_t begin, std::uint64_t end);

  // [begin, end) is not empty, and begins in the file.

  /// Makes the next look() look again at these bytes.
  void forget(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t last = (std::min(end, bytes_) - 1) / region_bytes();
    for (std::uint64_t region = begin / region_bytes(); region <= last; ++region)
      looked_[region].store(0, std::memory_order_relaxed);
  }

  /// Returns whether the page cache held all of these bytes.
  bool has_all(std::uint64_t begin, std::uint64_t end) const {
    return every_word(begin, end, [](std::uint64_t held, std::uint64_t wanted) { return held == wanted; });
  }
  /// Returns whether the page cache held none of them.
  bool has_none(std::uint64_t begin, std::uint64_t end) const {
    return every_word(begin, end, [](std::uint64_t held, std::uint64_t) { return held == 0; });
  }
  /// Routes bytes, as `runs` of pages of `page_bytes` counted from `begin`: pages that the page cache held in full come from
  /// there. The greedy rule merges short runs with their neighbours.
  MergedRuns route(std::uint64_t begin, std::uint64_t end, std::uint32_t page_bytes, std::vector<RouteRun>& runs) const;

  /// Measures the costs of reads with `depth` of them out, in some ten milliseconds, once in a process for each file and depth,
  /// and logs them; where it cannot, costs are as usual. Before other threads call route() or touches_cheaply().
  void measure_costs(std::uint32_t depth);
  /// Returns whether cached pages are read in the mapping; otherwise the kernel copies them. Mapping a page at its first touch
  /// takes as long as ten copies under some virtual machines.
  bool touches_cheaply() const { return !touches_dearer_than(kCopiesOfATouch); }
  bool touches_dearer_than(double copies) const { return costs_.touch_us > copies * costs_.cached_page_us; }
  const TransferCosts& costs() const { return costs_; }
  /// Sets the costs of reads, under the same condition.
  void suppose(const TransferCosts& costs) { costs_ = costs; }

  /// Copies bytes [begin, end) from the page cache if it still holds all of them.
  bool copy(std::uint64_t begin, std::uint64_t end, std::byte* to) const;
  /// Returns the mapping. The kernel reads bytes that the page cache no longer holds, a page at a time.
  const std::byte* data() const { return data_; }

  /// Writes dirty pages, then drops the file from the page cache, but for pages mapped elsewhere.
  void drop();

 private:
  static constexpr std::uint64_t kWordsOfARegion = 8;  // which is looked at as a whole
  static constexpr std::uint64_t kPagesOfARegion = 64 * kWordsOfARegion;
  static constexpr double kCopiesOfATouch = 4;  // a page that was touched once is read there again for nothing

  std::uint64_t region_bytes() const { return kPagesOfARegion << shift_; }
  /// Calls is(bits that are set, bits of the pages) for each word with pages of [begin, end), until it is false.
  template <class Is>
  bool every_word(std::uint64_t begin, std::uint64_t end, const Is& is) const {
    if (begin >= bytes_) return false;  // the file was cut since
    const std::uint64_t first = begin >> shift_;
    const std::uint64_t last = (std::min(end, bytes_) - 1) >> shift_;
    for (std::uint64_t word = first / 64; word <= last / 64; ++word) {
      std::uint64_t wanted = ~std::uint64_t{0};
      if (word == first / 64) wanted &= ~std::uint64_t{0} << first % 64;
      if (word == last / 64) wanted &= ~std::uint64_t{0} >> (63 - last % 64);
      if (!is(bits_[word].load(std::memory_order_relaxed) & wanted, wanted)) return false;
    }
    return true;
  }

  /// Looks at a batch of regions [begin, end), halving it until pages are alike. Returns dirty bytes.
  std::uint64_t examine(std::uint64_t begin, std::uint64_t end);

  /// Returns the microseconds of touching a cached page for the first time; 0 where too few are cached.
  double touch_us();

  std::string name_;
  int fd_;
  TransferCosts costs_;
  std::uint64_t bytes_;
  unsigned shift_;  ///< of a page's size
  std::uint64_t pages_;
  std::byte* data_ = nullptr;
  bool can_tell_ = false;
  std::optional<NamedMapping> mapping_;
  bool counts_ = false;  ///< cachestat answers
  std::vector<std::atomic<std::uint64_t>> bits_;
  std::vector<std::atomic<std::int64_t>> looked_;  ///< at each region, by Clock; 0 for never
};

}  // namespace graphrun
