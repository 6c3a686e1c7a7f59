// Which pages of a file the page cache holds.
//
// The kernel is asked, and reading is never tried: since Linux 5.16 preadv2() with RWF_NOWAIT begins to read what it misses, and
// so fills the page cache that it was to look at.
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

/// Of the page cache, in bytes.
std::size_t cache_page_bytes();

/// Pages of a stretch of a file that the page cache holds.
struct CachedCount {
  std::uint64_t cached = 0;
  std::uint64_t dirty = 0;  ///< of those, not yet written to the disk
};

/// Nothing where the kernel has no cachestat (Linux 6.5), where it does not see the pages (overlayfs), or keeps the page cache of
/// others' files to itself; errno says which.
std::optional<CachedCount> count_cached(int fd, std::uint64_t begin, std::uint64_t end);

/// A file as the page cache had it when it was last looked at: what is asked for in between is answered from memory. Any thread
/// may call any member but measure_costs() and suppose().
class CachedPages {
 public:
  using Clock = std::chrono::steady_clock;

  /// Maps the file `fd` is open for; `bytes` of it. The descriptor stays the caller's. Throws DataError.
  CachedPages(const std::string& name, int fd, std::uint64_t bytes);
  ~CachedPages();
  CachedPages(const CachedPages&) = delete;
  CachedPages& operator=(const CachedPages&) = delete;

  /// False where the kernel does not say what it holds; then no page counts as cached.
  bool can_tell() const { return can_tell_; }

  /// Looks again at bytes [begin, end) where that is longer ago than `oldest`. Returns dirty bytes that were found then.
  std::uint64_t look(std::uint64_t begin, std::uint64_t end, std::chrono::milliseconds oldest);

  // Bytes [begin, end) are some, and begin in the file.

  /// The next call of look() looks again at their regions: what was found there is no longer so.
  void forget(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t last = (std::min(end, bytes_) - 1) / region_bytes();
    for (std::uint64_t region = begin / region_bytes(); region <= last; ++region) {
      looked_[region].store(0, std::memory_order_relaxed);
    }
  }

  /// Did the page cache hold all of them?
  bool has_all(std::uint64_t begin, std::uint64_t end) const {
    return every_word(begin, end, [](std::uint64_t held, std::uint64_t wanted) { return held == wanted; });
  }
  /// Did it hold none?
  bool has_none(std::uint64_t begin, std::uint64_t end) const {
    return every_word(begin, end, [](std::uint64_t held, std::uint64_t) { return held == 0; });
  }
  /// The ways that they go, as `runs` of pages of `page_bytes` counted from `begin`. A page goes from the page cache when that
  /// held all of it; the greedy rule merges short runs with their neighbours.
  MergedRuns route(std::uint64_t begin, std::uint64_t end, std::uint32_t page_bytes, std::vector<RouteRun>& runs) const;

  /// Measures what reads of it cost, in some ten milliseconds, once in a process for each file and depth. `depth`: reads that
  /// will be out at a time. Says what it found. Where it cannot, costs are as usual. Before other threads call route() or
  /// touches_cheaply().
  void measure_costs(std::uint32_t depth);
  /// Where the page cache holds a part of the file, are its pages to be read in its mapping? Otherwise the kernel is to copy
  /// them. A page is mapped when it is first touched, and under some virtual machines that takes as long as ten copies.
  bool touches_cheaply() const { return !touches_dearer_than(kCopiesOfATouch); }
  bool touches_dearer_than(double copies) const { return costs_.touch_us > copies * costs_.cached_page_us; }
  /// Reads of it cost this. Under the same condition.
  void suppose(const TransferCosts& costs) { costs_ = costs; }

  /// Copies bytes [begin, end) from the page cache if it still holds all of them.
  bool copy(std::uint64_t begin, std::uint64_t end, std::byte* to) const;
  /// The file's bytes where a load reaches them. One that the page cache no longer holds is read by the kernel, a page at a time.
  const std::byte* data() const { return data_; }

  /// Takes the file out of the page cache, but for what is mapped elsewhere, and writes first what is not on the disk.
  void drop();

 private:
  static constexpr std::uint64_t kWordsOfARegion = 8;  // which is looked at as a whole
  static constexpr std::uint64_t kPagesOfARegion = 64 * kWordsOfARegion;
  static constexpr double kCopiesOfATouch = 4;  // a page that was touched once is read there again for nothing

  std::uint64_t region_bytes() const { return kPagesOfARegion << shift_; }
  /// is(bits that are set, bits of the pages) for each word with pages of [begin, end), until it is false.
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

  /// Regions [begin, end): as one where they are all alike, else each half. Returns dirty bytes.
  std::uint64_t examine(std::uint64_t begin, std::uint64_t end);

  /// Microseconds a page of touching some that are cached, for the first time; 0 where too few are.
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
