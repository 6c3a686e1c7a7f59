// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/cached_pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {
namespace {

/// Returns false for files that are neither the caller's nor writable to it: mincore() says "all" of them.
bool tells_residency(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return false;
  return status.st_uid == ::geteuid() || ::access(fmt::format("/proc/self/fd/{}", fd).c_str(), W_OK) == 0;
}

std::optional<CachedCount> ask_cachestat(int fd, std::uint64_t begin, std::uint64_t end) {
  constexpr long kCachestat = 451;  // the same on all architectures; older headers do not name it
  struct {
    std::uint64_t offset, bytes;
  } range{begin, end - begin};
  struct {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
  } found{};
  if (begin >= end) return CachedCount{};  // of no bytes the call means all up to the end
  if (::syscall(kCachestat, fd, &range, &found, 0) != 0) return std::nullopt;
  return CachedCount{found.cached, found.dirty + found.writeback};
}

/// Returns the time of CachedPages::Clock at the last tick of the kernel: reads of a page ask for it, and it costs a tenth.
std::int64_t coarse_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return std::chrono::duration_cast<CachedPages::Clock::duration>(since).count();
}

}  // namespace

std::size_t cache_page_bytes() {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

std::optional<CachedCount> count_cached(int fd, std::uint64_t begin, std::uint64_t end) {
  struct ::statfs system {};
  if (::fstatfs(fd, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC) {
    errno = EOPNOTSUPP;  // pages belong to the file below: cachestat finds none
    return std::nullopt;
  }
  return ask_cachestat(fd, begin, end);
}

CachedPages::CachedPages(const std::string& name, int fd, std::uint64_t bytes)
    : name_(name),
      fd_(fd),
      bytes_(bytes),
      shift_(static_cast<unsigned>(std::countr_zero(cache_page_bytes()))),
      pages_((bytes + cache_page_bytes() - 1) >> shift_),
      bits_(static_cast<std::size_t>(pages_ / 64 + 1)),
      looked_(static_cast<std::size_t>(pages_ / kPagesOfARegion + 1)) {
  if (bytes == 0) return;
  void* base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) raise_errno<DataError>("cannot map {}", name);
  data_ = static_cast<std::byte*>(base);
  mapping_.emplace(name, base, bytes);
  ::madvise(base, bytes, MADV_RANDOM);  // an evicted page comes back without its neighbours
  counts_ = count_cached(fd, 0, 1).has_value();
  const char* why = std::strerror(errno);  // where it does not
  can_tell_ = tells_residency(fd);
  if (!can_tell_) {
    log::warn(
        fmt::format("{}: the kernel does not tell this user what the page cache holds of it, which counts as nothing", name));
  } else if (!counts_) {
    log::info(fmt::format("{}: cachestat: {}; what the page cache holds is found by mincore, page by page", name, why));
  }
}

CachedPages::~CachedPages() {
  mapping_.reset();  // before another mapping can have its place
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

std::uint64_t CachedPages::look(std::uint64_t begin, std::uint64_t end, std::chrono::milliseconds oldest) {
  end = std::min(end, bytes_);
  if (!can_tell_ || begin >= end) return 0;
  const std::int64_t now = coarse_now();
  const std::int64_t limit = now - std::chrono::duration_cast<Clock::duration>(oldest).count();
  const std::uint64_t last = (end - 1) / region_bytes();
  std::uint64_t dirty = 0;
  std::uint64_t first = begin / region_bytes();  // of a batch of regions
  for (std::uint64_t region = first; region <= last; ++region) {
    std::int64_t seen = looked_[region].load(std::memory_order_relaxed);
    const bool is_due = seen == 0 || seen <= limit;
    if (is_due && looked_[region].compare_exchange_strong(seen, now, std::memory_order_relaxed)) continue;
    if (first != region) dirty += examine(first, region);
    first = region + 1;
  }
  return first <= last ? dirty + examine(first, last + 1) : dirty;
}

std::uint64_t CachedPages::look_for_more(std::uint64_t begin, std::uint64_t end) {
  if (!counts_) return 0;
  const auto count = ask_cachestat(fd_, begin, std::min(end, bytes_));
  if (!count || count->cached == 0) return 0;
  forget(begin, end);
  look(begin, end, std::chrono::milliseconds(0));
  return count->dirty * cache_page_bytes();
}

std::uint64_t CachedPages::examine(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t page_bytes = cache_page_bytes();
  const std::uint64_t first = begin * kPagesOfARegion;
  const std::uint64_t pages = std::min(end * kPagesOfARegion, pages_) - first;
  const auto count =
      counts_ ? ask_cachestat(fd_, first * page_bytes, std::min((first + pages) * page_bytes, bytes_)) : std::nullopt;
  const bool all = count && count->cached >= pages;
  if (all || (count && count->cached == 0)) {
    for (std::uint64_t word = first / 64; word <= (first + pages - 1) / 64; ++word) {
      bits_[word].store(all ? ~std::uint64_t{0} : 0, std::memory_order_relaxed);
    }
    return count->dirty * page_bytes;
  }
  if (end - begin > 1) return examine(begin, (begin + end) / 2) + examine((begin + end) / 2, end);
  std::array<unsigned char, kPagesOfARegion> resident;
  if (::mincore(data_ + first * page_bytes, pages * page_bytes, resident.data()) != 0) resident.fill(0);
  for (std::uint64_t word = 0; word <= (pages - 1) / 64; ++word) {
    std::uint64_t bits = 0;
    for (std::uint64_t page = word * 64; page < std::min(word * 64 + 64, pages); ++page) {
      bits |= std::uint64_t{resident[page] & 1u} << page % 64;
    }
    bits_[first / 64 + word].store(bits, std::memory_order_relaxed);
  }
  return count ? count->dirty * page_bytes : 0;
}

bool CachedPages::copy(std::uint64_t begin, std::uint64_t end, std::byte* to) const {
  const std::uint64_t first = begin >> shift_;
  const std::uint64_t pages = ((end - 1) >> shift_) + 1 - first;
  bool holds = false;
  if (counts_) {
    const auto count = ask_cachestat(fd_, begin, end);
    holds = count && count->cached >= pages;
  } else {
    std::vector<unsigned char> resident(pages);
    holds = ::mincore(data_ + (first << shift_), end - (first << shift_), resident.data()) == 0 &&
            std::ranges::all_of(resident, [](unsigned char one) { return (one & 1u) != 0; });
  }
  if (holds) std::memcpy(to, data_ + begin, end - begin);
  return holds;
}

MergedRuns CachedPages::route(std::uint64_t begin, std::uint64_t end, std::uint32_t page_bytes,
                              std::vector<RouteRun>& runs) const {
  runs.clear();
  for (std::uint64_t at = begin; at < end; at += page_bytes) {
    const bool cached = has_all(at, std::min(end, at + page_bytes));
    if (runs.empty() || runs.back().cached != cached) runs.push_back({0, cached});
    ++runs.back().pages;
  }
  return route_greedily(costs_.in_pages_of(static_cast<double>(page_bytes) / static_cast<double>(cache_page_bytes())), runs);
}

void CachedPages::measure_costs(std::uint32_t depth) {
  if (pages_ == 0) return;
  // Engines that serve queues of one run open one after another: the first measures for all of this process.
  static std::mutex mutex;
  static std::map<std::array<std::int64_t, 5>, TransferCosts> known;
  const std::lock_guard lock(mutex);
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return;
  const auto [device, node] = std::pair(static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino));
  const std::array<std::int64_t, 5> file{device, node, status.st_ctim.tv_sec, status.st_ctim.tv_nsec, depth};
  if (const auto place = known.find(file); place != known.end()) {
    costs_ = place->second;
  } else {
    try {
      costs_ = calibrate_storage({name_, fd_}, bytes_, depth);
    } catch (const Error& error) {
      log::info(fmt::format("{}: {}; usual costs are taken", name_, error.what()));
    }
    log::info(fmt::format(
        "{}: a direct read takes {:.1f} us up to {:.0f} pages and {:.2f} us for each page more, a cached page {:.2f} us", name_,
        costs_.command_us, costs_.cutoff_pages, costs_.direct_page_us, costs_.cached_page_us));
  }
  if (costs_.touch_us == 0) {  // too little of it was cached until now
    costs_.touch_us = touch_us();
    if (costs_.touch_us != 0) {
      log::info(fmt::format("{}: touching a cached page for the first time takes {:.2f} us, a copy {:.2f} us", name_,
                            costs_.touch_us, costs_.cached_page_us));
    }
  }
  known[file] = costs_;
}

double CachedPages::touch_us() {
  constexpr std::uint64_t kPlaces = 16;
  constexpr std::uint64_t kPagesOfAPlace = 16;  // as many as Linux maps at once
  constexpr std::uint64_t kFewestPages = 32;
  const std::uint64_t page_bytes = cache_page_bytes();
  std::vector<double> us;  // a page, of each place
  std::uint64_t touched = 0;
  std::uint64_t end = 0;  // of the last place
  for (std::uint64_t place = 0; place < kPlaces; ++place) {
    const std::uint64_t first = pages_ * place / kPlaces / kPagesOfAPlace * kPagesOfAPlace;
    if (first < end) continue;  // in a small file
    end = std::min(first + kPagesOfAPlace, pages_);
    look(first * page_bytes, end * page_bytes, std::chrono::milliseconds(0));
    std::uint64_t here = 0;
    const Timer timer;
    for (std::uint64_t page = first; page < end; ++page) {
      const std::uint64_t at = page * page_bytes;
      if (!has_all(at, at + 1)) continue;
      static_cast<void>(*static_cast<const volatile std::byte*>(data_ + at));
      ++here;
    }
    if (here != 0) us.push_back(timer.elapsed_ms() * 1e3 / static_cast<double>(here));
    touched += here;
    const std::uint64_t bytes = std::min(end * page_bytes, bytes_) - first * page_bytes;
    ::madvise(data_ + first * page_bytes, bytes, MADV_DONTNEED);  // the page cache cannot let go of what is mapped
    forget(first * page_bytes, end * page_bytes);                 // the next look counts what is dirty
  }
  return touched < kFewestPages ? 0 : median(std::move(us));
}

void CachedPages::drop() {
  if (data_ == nullptr) return;
  ::fdatasync(fd_);
  ::madvise(data_, bytes_, MADV_DONTNEED);  // a page that is still mapped is not dropped from the cache
  ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
  for (auto& looked : looked_) looked.store(0, std::memory_order_relaxed);
  for (auto& word : bits_) word.store(0, std::memory_order_relaxed);
}

}  // namespace graphrun
