#include "graphrun/transport/route.hpp"

#include <fmt/format.h>
#include <liburing.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>

#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/cached_pages.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t RouteCounters::*kRouteFields[] = {
    &RouteCounters::direct_bytes, &RouteCounters::cached_bytes, &RouteCounters::in_place_bytes, &RouteCounters::in_place_steps,
    &RouteCounters::splits,       &RouteCounters::merges,       &RouteCounters::merged_bytes,   &RouteCounters::dirty_bytes};

using CostClock = std::chrono::steady_clock;

double microseconds_since(CostClock::time_point start) {
  return std::chrono::duration<double, std::micro>(CostClock::now() - start).count();
}

/// Direct reads of one size at places that are drawn, all out at once.
class TimedReads {
 public:
  TimedReads(int fd, std::uint64_t file_bytes, std::uint32_t depth) : fd_(fd), file_bytes_(file_bytes) {
    if (const int status = ::io_uring_queue_init(depth, &ring_, 0); status < 0) {
      throw UnavailableError(fmt::format("reads cannot be timed without io_uring: {}", std::strerror(-status)));
    }
  }
  ~TimedReads() { ::io_uring_queue_exit(&ring_); }
  TimedReads(const TimedReads&) = delete;
  TimedReads& operator=(const TimedReads&) = delete;

  /// Microseconds a read; nothing when one failed.
  std::optional<double> each(std::uint32_t bytes, std::uint32_t count, Column<std::byte>& memory) {
    const std::uint64_t places = file_bytes_ / bytes;
    const auto start = CostClock::now();
    for (std::uint32_t i = 0; i < count; ++i) {
      io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
      ::io_uring_prep_read(entry, fd_, memory.data() + std::size_t{i} * bytes, bytes, splitmix64(bytes, i, 0) % places * bytes);
    }
    bool good = true;
    for (std::uint32_t out = count; out != 0; --out) {
      io_uring_cqe* entry = nullptr;
      if (::io_uring_submit_and_wait(&ring_, 1) < 0 || ::io_uring_wait_cqe(&ring_, &entry) != 0) return std::nullopt;
      good &= entry->res == static_cast<int>(bytes);
      ::io_uring_cqe_seen(&ring_, entry);
    }
    if (!good) return std::nullopt;
    return microseconds_since(start) / count;
  }

 private:
  int fd_;
  std::uint64_t file_bytes_;
  io_uring ring_{};
};

/// Of a page, from memory that was touched before to memory that was.
double copy_us(Column<std::byte>& memory, std::size_t page_bytes) {
  const std::size_t half = memory.size() / 2;
  std::memset(memory.data(), 1, memory.size());
  const auto start = CostClock::now();
  std::memcpy(memory.data(), memory.data() + half, half);
  return microseconds_since(start) / static_cast<double>(half / page_bytes);
}

}  // namespace

MergedRuns route_greedily(const TransferCosts& costs, std::vector<RouteRun>& runs) {
  MergedRuns merged;
  std::uint32_t before = 0;  // pages of the direct run that is being made
  std::size_t made = 0;
  const auto put = [&](std::uint32_t pages, bool cached) {
    if (pages != 0) runs[made++] = {pages, cached};
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::uint32_t pages = runs[i].pages;
    if (!runs[i].cached) {
      before += pages;
      continue;
    }
    const std::uint32_t after = i + 1 < runs.size() ? runs[i + 1].pages : 0;
    const bool is_free = before != 0 && before + pages < costs.cutoff_pages;
    const double apart = costs.direct(before) + costs.cached(pages) + costs.direct(after);
    if (before + after != 0 && (is_free || costs.direct(double{0} + before + pages + after) < apart)) {
      before += pages;
      ++merged.runs;
      merged.pages += pages;
      continue;
    }
    put(before, false);
    put(pages, true);
    before = 0;
  }
  put(before, false);
  runs.resize(made);
  return merged;
}

TransferCosts calibrate_storage(int direct, std::uint64_t bytes, std::uint32_t depth) {
  constexpr std::uint32_t kFewPages = 16;
  constexpr std::uint32_t kManyPages = 128;
  constexpr std::uint32_t kMostOut = 128;
  constexpr std::uint32_t kMostManyOut = 16;  // larger reads keep storage busy with fewer of them out
  const auto page = static_cast<std::uint32_t>(cache_page_bytes());
  TransferCosts costs;
  const std::uint32_t out = std::clamp(depth, 1u, kMostOut);
  auto memory = Column<std::byte>::allocate(std::size_t{kMostManyOut} * kManyPages * page);
  costs.cached_page_us = copy_us(memory, page);
  if (bytes < memory.size()) return costs;
  TimedReads reads(direct, bytes, out);
  const auto one = reads.each(page, out, memory);
  const auto few = reads.each(kFewPages * page, out, memory);
  const auto many = reads.each(kManyPages * page, std::min(out, kMostManyOut), memory);
  if (!one || !few || !many || *many <= *few) return costs;
  costs.command_us = *one;
  costs.direct_page_us = (*many - *few) / (kManyPages - kFewPages);
  costs.cutoff_pages = std::max(1.0, kManyPages - (*many - *one) / costs.direct_page_us);  // where the line begins to rise
  return costs;
}

RouteCounters& RouteCounters::operator+=(const RouteCounters& more) {
  for (const auto field : kRouteFields) this->*field += more.*field;
  return *this;
}

RouteCounters RouteCounters::operator-(const RouteCounters& less) const {
  RouteCounters left = *this;
  for (const auto field : kRouteFields) left.*field -= less.*field;
  return left;
}

}  // namespace graphrun
