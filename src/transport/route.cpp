// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/route.hpp"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/controller.hpp"
#include "transport/read_timer.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t RouteCounters::*kRouteFields[] = {
    &RouteCounters::direct_bytes, &RouteCounters::cached_bytes,   &RouteCounters::in_place_bytes, &RouteCounters::in_place_steps,
    &RouteCounters::splits,       &RouteCounters::merges,         &RouteCounters::merged_bytes,   &RouteCounters::dirty_bytes,
    &RouteCounters::ahead_bytes,  &RouteCounters::ahead_hit_bytes};

/// Returns the microseconds that the kernel takes to copy a page out of its cache, in long reads: the least of some rounds, or
/// `otherwise` where it has no files in memory. What other work takes of a processor shows as reads go.
double copy_us(int rounds, double otherwise) {
  constexpr std::size_t kLongRead = 512 << 10;
  const OwnedFd file(::memfd_create("graphrun copies", MFD_CLOEXEC));
  auto memory = Column<std::byte>::allocate(ReadTimer::memory_bytes() / 2);
  std::memset(memory.data(), 1, memory.size());
  if (!file.is_open() || ::write(file.get(), memory.data(), memory.size()) != static_cast<ssize_t>(memory.size()))
    return otherwise;
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    const Timer timer;
    for (std::size_t at = 0; at < memory.size(); at += kLongRead) {
      const std::size_t bytes = std::min(kLongRead, memory.size() - at);
      if (::pread(file.get(), memory.data() + at, bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes)) return otherwise;
    }
    least = std::min(least, timer.elapsed_ms() * 1e3 / static_cast<double>(memory.size() / cache_page_bytes()));
  }
  return least;
}

/// Returns the processor time of this thread.
double processor_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
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

double reads_per_second(BlockEngine& engine, Column<std::byte>& memory, const TimedReads& reads,
                        const std::function<std::uint64_t(std::uint64_t)>& place) {
  constexpr double kDeadlineMs = 20'000;
  const std::size_t length = memory.size() / reads.depth / cache_page_bytes() * cache_page_bytes();
  std::vector<BlockEngine::Done> outcomes(reads.depth);
  std::vector<std::uint32_t> free_slots(reads.depth);
  std::iota(free_slots.begin(), free_slots.end(), 0u);
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  const Timer timer;
  const auto is_over = [&] { return started == reads.most || timer.elapsed_ms() > reads.most_ms; };
  while (!is_over() || done < started) {
    while (!is_over() && !free_slots.empty()) {
      const std::uint32_t slot = free_slots.back();
      if (!engine.start({nvme::Opcode::read, place(started), reads.bytes, memory.data() + slot * length, slot})) break;
      free_slots.pop_back();
      ++started;
    }
    const std::size_t ended = engine.poll(outcomes.data(), outcomes.size());
    for (std::size_t i = 0; i < ended; ++i) {
      if (outcomes[i].status != nvme::Status::success) raise<DataError>("timing reads: {}", engine.last_error());
      free_slots.push_back(static_cast<std::uint32_t>(outcomes[i].tag));
    }
    done += ended;
    if (ended == 0) engine.sleep(std::chrono::milliseconds(1));
    if (timer.elapsed_ms() > kDeadlineMs) throw DataError("timing reads: the disk did not end them within 20 s");
  }
  return static_cast<double>(std::max<std::uint64_t>(done, 1)) / (timer.elapsed_ms() / 1000);
}

ReadTimer::ReadTimer(BlockEngine& engine, int fd, std::uint64_t bytes, std::uint32_t depth)
    : engine_(engine), fd_(fd), bytes_(bytes), depth_(depth), memory_(Column<std::byte>::allocate(memory_bytes())) {}

std::size_t ReadTimer::memory_bytes() {
  constexpr std::size_t kPages = 16 * kMostOut;  // longer reads keep storage busy with fewer of them out
  return kPages * cache_page_bytes();
}

double ReadTimer::read_us(std::uint32_t read_bytes) {
  constexpr double kMostMs = 20;  // of a slow disk
  const std::uint32_t out = std::min(depth_, static_cast<std::uint32_t>(memory_.size() / read_bytes));
  std::vector<std::uint64_t> places(out);
  std::ranges::generate(places, [&] { return clean_place(read_bytes); });
  std::uint64_t reads = 0;
  const double before = processor_us();
  const double rate = reads_per_second(engine_, memory_, {read_bytes, out, out, kMostMs}, [&](std::uint64_t i) {
    reads = i + 1;
    return places[i];
  });
  return 1e6 / rate + (processor_us() - before) / static_cast<double>(std::max<std::uint64_t>(reads, 1));
}

/// Skips places where bytes wait to be written: a read past the page cache would write them first.
std::uint64_t ReadTimer::clean_place(std::uint32_t read_bytes) {
  constexpr std::uint64_t kMostDraws = 64;
  for (const std::uint64_t last = drawn_ + kMostDraws; drawn_ < last;) {
    const std::uint64_t at = splitmix64(read_bytes, drawn_++, 0) % (bytes_ / read_bytes) * read_bytes;
    const auto count = count_cached(fd_, at, at + read_bytes);
    if (!count || count->dirty == 0) return at;
  }
  throw DataError("too much of the file is not on the disk yet to time reads of it");
}

TransferCosts calibrate_storage(const StoreFile& file, std::uint64_t bytes, std::uint32_t depth) {
  constexpr std::uint32_t kFewPages = 16;
  constexpr std::uint32_t kManyPages = 128;
  constexpr int kRounds = 3;  // whose medians count
  const auto page = static_cast<std::uint32_t>(cache_page_bytes());
  TransferCosts costs;
  costs.cached_page_us = copy_us(kRounds, costs.cached_page_us);
  if (bytes < ReadTimer::memory_bytes()) return costs;
  const std::uint32_t out = std::clamp(depth, 1u, ReadTimer::kMostOut);
  const auto engine = open_uring_engine({file}, out);
  ReadTimer timer(*engine, file.fd, bytes, out);
  std::vector<double> ones, fews, manys;
  for (int round = 0; round < kRounds; ++round) {
    ones.push_back(timer.read_us(page));
    fews.push_back(timer.read_us(kFewPages * page));
    manys.push_back(timer.read_us(kManyPages * page));
  }
  const double few = median(std::move(fews));
  // One page takes no longer than 16. On a busy machine it once did, 1 ms, and reads were merged up to 686 pages.
  const double one = std::min(median(std::move(ones)), few);
  const double many = median(std::move(manys));
  if (many <= few) return costs;
  costs.command_us = one;
  costs.direct_page_us = (many - few) / (kManyPages - kFewPages);
  costs.cutoff_pages = std::max(1.0, kManyPages - (many - one) / costs.direct_page_us);  // where the line begins to rise
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
