// SPDX-License-Identifier: Apache-2.0
// Which way reads go: the greedy rule beside the exact schedule, and an engine over files of which the page cache holds parts.
#include "graphrun/transport/route.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/owned_fd.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

constexpr TransferCosts kP3700{.command_us = 584, .cutoff_pages = 128, .direct_page_us = 1.55, .cached_page_us = 0.41};
constexpr TransferCosts kDeepQueue{.command_us = 12.7, .cutoff_pages = 5, .direct_page_us = 2.5, .cached_page_us = 0.6};

/// What a schedule takes that was made of `runs`.
double time_of(const TransferCosts& costs, const std::vector<RouteRun>& runs) {
  double sum = 0;
  for (const RouteRun& run : runs) sum += run.cached ? costs.cached(run.pages) : costs.direct(run.pages);
  return sum;
}

/// The least that any schedule takes, by dynamic programming over the runs.
double least_time(const TransferCosts& costs, const std::vector<RouteRun>& runs) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Begun {
    double pages;
    double time;
  };
  static std::vector<Begun> begun;  // direct reads that are shorter than the cutoff as yet
  begun.clear();
  double longer = kNever;  // where the last run belongs to a direct read beyond it
  double ended = 0;        // where the last run came from the page cache
  for (const RouteRun& run : runs) {
    double next_ended = kNever;
    if (run.cached) {
      next_ended = std::min(ended, longer);
      for (const Begun& one : begun) next_ended = std::min(next_ended, one.time);
      next_ended += costs.cached(run.pages);
    }
    longer += run.pages * costs.direct_page_us;
    if (ended != kNever) begun.push_back({0, ended + costs.command_us});
    std::size_t kept = 0;
    for (Begun one : begun) {
      one.pages += run.pages;
      if (one.pages < costs.cutoff_pages) {
        begun[kept++] = one;
      } else {
        longer = std::min(longer, one.time + (one.pages - costs.cutoff_pages) * costs.direct_page_us);
      }
    }
    begun.resize(kept);
    ended = next_ended;
  }
  double least = std::min(ended, longer);
  for (const Begun& one : begun) least = std::min(least, one.time);
  return least;
}

/// 8 MiB of pages, in runs of random lengths around a mean that is drawn first, as many cached as not.
std::vector<RouteRun> draw_runs(std::uint64_t seed) {
  constexpr std::uint32_t kPages = 2048;
  const std::uint64_t mean = std::uint64_t{1} << splitmix64(seed, 0, 0) % 10;
  std::vector<RouteRun> runs;
  bool cached = splitmix64(seed, 0, 1) % 2 != 0;
  for (std::uint32_t at = 0, i = 1; at < kPages; ++i, cached = !cached) {
    const auto pages = static_cast<std::uint32_t>(1 + splitmix64(seed, i, 0) % (2 * mean));
    runs.push_back({std::min(pages, kPages - at), cached});
    at += runs.back().pages;
  }
  return runs;
}

/// The least time over that of the greedy rule, on average.
double share_of_best(const TransferCosts& costs, std::uint64_t vectors) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < vectors; ++seed) {
    std::vector<RouteRun> runs = draw_runs(seed);
    const double least = least_time(costs, runs);
    route_greedily(costs, runs);
    const double time = time_of(costs, runs);
    EXPECT_GE(time, least * (1 - 1e-9)) << seed;
    sum += least / time;
  }
  return sum / static_cast<double>(vectors);
}

// SPIN, section 4.3.1: 200,000 random vectors of 8 MB on its disk, within 98.9 % of the exact schedule. With deep queues, where a
// command is worth a few pages, the rule is a little further from it.
TEST(Route, TheGreedyRuleIsCloseToTheExactSchedule) {
  EXPECT_GE(share_of_best(kP3700, kSanitized ? 5'000 : 200'000), 0.98);
  EXPECT_GE(share_of_best(kDeepQueue, kSanitized ? 500 : 20'000), 0.97);
}

TEST(Route, WhatIsWhollyOneWayStaysThatWay) {
  for (const bool cached : {false, true}) {
    std::vector<RouteRun> runs{{1, cached}};
    EXPECT_EQ(route_greedily(kP3700, runs).runs, 0u);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].cached, cached);
  }
}

// On the paper's disk a cached run is worth a command from about 340 pages on.
TEST(Route, ShortCachedRunsAreMergedAndLongOnesAreNot) {
  std::vector<RouteRun> runs{{300, false}, {200, true}, {300, false}, {1500, true}, {300, false}};
  const MergedRuns merged = route_greedily(kP3700, runs);
  EXPECT_EQ(merged.runs, 1u);
  EXPECT_EQ(merged.pages, 200u);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].pages, 800u);
  EXPECT_TRUE(runs[1].cached);
}

/// A file whose words say where they are, and an engine over it.
class RoutedFileTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kBytes = (4 << 20) + 4096 + 100;  // no whole number of anything
  static constexpr std::uint64_t kRead = 512 << 10;

  void SetUp() override {
    std::string name = ::testing::TempDir() + "/graphrun_route_XXXXXX";
    fd_ = ::mkstemp(name.data());
    ::unlink(name.c_str());
    write_all();
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
    evict(0, kBytes);
    if (cached() != 0) GTEST_SKIP() << "nothing leaves the page cache of this file system, or the kernel does not count it";
  }
  ~RoutedFileTest() override {
    if (fd_ >= 0) ::close(fd_);
  }

  static std::uint8_t byte_at(std::uint64_t at) { return static_cast<std::uint8_t>(splitmix64(at / 64) >> at % 8); }
  void write_all() const {
    std::vector<std::uint8_t> bytes(kBytes);
    for (std::uint64_t i = 0; i < kBytes; ++i) bytes[i] = byte_at(i);
    ASSERT_EQ(::pwrite(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    ::fsync(fd_);
  }
  void evict(std::uint64_t begin, std::uint64_t bytes) const {
    ::posix_fadvise(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
  }
  void warm(std::uint64_t begin, std::uint64_t bytes) const {
    std::vector<char> to(bytes);
    ASSERT_EQ(::pread(fd_, to.data(), bytes, static_cast<off_t>(begin)), static_cast<ssize_t>(bytes));
  }
  /// Writes what is there already.
  void dirty(std::uint64_t begin, std::uint64_t bytes) const {
    std::vector<std::uint8_t> same(bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) same[i] = byte_at(begin + i);
    ASSERT_EQ(::pwrite(fd_, same.data(), bytes, static_cast<off_t>(begin)), static_cast<ssize_t>(bytes));
  }
  std::uint64_t cached() const {
    const auto count = count_cached(fd_, 0, kBytes);
    return count ? count->cached * cache_page_bytes() : 1;
  }
  std::unique_ptr<BlockEngine> open(Route route) const { return open_uring_engine({{"store", fd_}}, 8, route); }
  /// Of a disk as TransferCosts has it: what this one costs, and what a sanitizer makes of a copy, is not what is tested.
  std::unique_ptr<BlockEngine> open_with(const TransferCosts& costs) const {
    auto engine = open(Route::automatic);
    engine->cached_pages(0)->suppose(costs);
    return engine;
  }
  std::unique_ptr<BlockEngine> open_with_usual_costs() const { return open_with({}); }
  /// Of a disk that gets no cached pages, also where a busy machine makes copies slow.
  std::unique_ptr<BlockEngine> open_with_slow_disk() const { return open_with({.direct_page_us = 250}); }
  /// The engine copies from a mapping, and has the kernel copy. Storage is slow, so that it gets no cached pages, as above.
  static constexpr TransferCosts kTouches[] = {{.direct_page_us = 250}, {.direct_page_us = 250, .touch_us = 100}};
  /// Bytes that were found in the page cache. Storage reads some of them where a busy machine makes copies slow.
  static std::uint64_t found_cached(const RouteCounters& routed) { return routed.cached_bytes + routed.merged_bytes; }

  /// Reads all of it, by commands of kRead, and compares.
  static void read(BlockEngine& engine, std::uint64_t at, Column<std::byte>& memory) {
    ASSERT_TRUE(engine.start({nvme::Opcode::read, at, kRead, memory.data(), 7}));
    BlockEngine::Done done{};
    const Timer waiting;
    while (engine.poll(&done, 1) == 0) ASSERT_LT(waiting.elapsed_ms(), 60'000) << "no outcome of the read at " << at;
    ASSERT_EQ(done.status, nvme::Status::success) << engine.last_error();
  }
  static void expect_right(BlockEngine& engine) {
    auto memory = Column<std::byte>::allocate(kRead);
    for (std::uint64_t at = 0; at < kBytes; at += kRead) {
      std::memset(memory.data(), 0, kRead);
      ASSERT_NO_FATAL_FAILURE(read(engine, at, memory));
      for (std::uint64_t i = at; i < std::min(at + kRead, kBytes); ++i) {
        ASSERT_EQ(static_cast<std::uint8_t>(memory[i - at]), byte_at(i)) << "byte " << i;
      }
    }
  }

  int fd_ = -1;
};

TEST_F(RoutedFileTest, ColdFilesAreReadPastThePageCacheAndLeftCold) {
  const auto engine = open(Route::automatic);
  expect_right(*engine);
  EXPECT_EQ(engine->routed().cached_bytes, 0u);
  EXPECT_GE(engine->routed().direct_bytes, kBytes);
  EXPECT_EQ(cached(), 0u);
}

// As the edges of a graph that has none.
TEST_F(RoutedFileTest, EmptyFilesHaveNoCosts) {
  ASSERT_EQ(::ftruncate(fd_, 0), 0);
  EXPECT_EQ(open(Route::automatic)->routed().cached_bytes, 0u);
}

// Where memory is short the kernel may take a page between the look and the read.
TEST_F(RoutedFileTest, WarmFilesAreReadFromThePageCacheAlone) {
  constexpr int kTries = 10;
  for (const TransferCosts& costs : kTouches) {
    RouteCounters routed{.direct_bytes = 1};
    for (int i = 0; i < kTries && routed.direct_bytes != 0; ++i) {
      warm(0, kBytes);
      const auto engine = open_with(costs);
      expect_right(*engine);
      routed = engine->routed();
    }
    EXPECT_EQ(routed.direct_bytes, 0u) << costs.touch_us;
    EXPECT_GE(routed.cached_bytes, kBytes) << costs.touch_us;
    EXPECT_EQ(routed.ahead_bytes, 0u) << "what is cached need not be read ahead";
  }
}

TEST_F(RoutedFileTest, ReadsThatArePartlyCachedAreSplit) {
  for (std::uint64_t at = 0; at + kRead / 2 < kBytes; at += kRead) warm(at, kRead / 2);
  const std::uint64_t before = cached();
  const auto engine = open_with_slow_disk();
  expect_right(*engine);
  const RouteCounters routed = engine->routed();
  EXPECT_GE(routed.splits, kBytes / kRead);
  EXPECT_GT(routed.cached_bytes, kBytes / 3);
  EXPECT_GT(routed.direct_bytes, kBytes / 3);
  EXPECT_LE(cached(), before);
}

TEST_F(RoutedFileTest, LonelyCachedPagesAreMerged) {
  for (std::uint64_t at = 4096; at + 4096 < kBytes; at += 8192) warm(at, 4096);
  const auto engine = open_with_usual_costs();
  expect_right(*engine);
  EXPECT_GT(engine->routed().merges, 100u);
  EXPECT_GT(engine->routed().merged_bytes, 100u * 4096);
}

// The engine looked at the page cache a moment ago, and then the pages went.
TEST_F(RoutedFileTest, WhatLeavesThePageCacheBetweenLookAndReadIsReadPastIt) {
  for (const TransferCosts& costs : kTouches) {
    warm(0, kBytes);
    const auto engine = open_with(costs);
    expect_right(*engine);
    ::madvise(const_cast<std::byte*>(engine->cached_pages(0)->data()), kBytes, MADV_DONTNEED);
    evict(0, kBytes);
    expect_right(*engine);
    EXPECT_GE(engine->routed().direct_bytes, kBytes / 2) << costs.touch_us;
    EXPECT_LE(cached(), kBytes / 2) << "reads that fail begin to fill the page cache";
  }
}

TEST_F(RoutedFileTest, WhatIsForgottenIsLookedAtAgainInEveryRegion) {
  constexpr std::uint64_t kBorder = 2 << 20;  // of two regions
  constexpr std::chrono::hours kLong{1};
  CachedPages pages("store", fd_, kBytes);
  warm(0, kBytes);
  pages.look(0, kBytes, kLong);
  evict(0, kBytes);
  pages.forget(kBorder - 1, kBorder + 1);
  pages.look(0, kBytes, kLong);
  EXPECT_TRUE(pages.has_none(0, 2 * kBorder));
  EXPECT_FALSE(pages.has_none(2 * kBorder, kBytes)) << "what is not forgotten is not looked at";
}

TEST_F(RoutedFileTest, TheWayThroughThePageCacheFillsIt) {
  const auto engine = open(Route::page_cache);
  for (int tries = 10; tries > 0 && cached() < kBytes / 4096 * 4096; --tries) expect_right(*engine);
  EXPECT_GE(cached(), kBytes / 4096 * 4096);
  EXPECT_EQ(engine->routed().direct_bytes, 0u);
  engine->drop_cached();
  EXPECT_EQ(cached(), 0u);
}

TEST_F(RoutedFileTest, ShortReadsInOrderAreReadAheadAndLeaveThePageCacheAlone) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // a file that has just changed is not read ahead
  const auto engine = open(Route::automatic);
  auto memory = Column<std::byte>::allocate(kRead);
  for (std::uint64_t at = 0; at < kBytes; at += 4096) {
    ASSERT_TRUE(engine->start({nvme::Opcode::read, at, 4096, memory.data(), 7}));
    BlockEngine::Done done{};
    while (engine->poll(&done, 1) == 0) engine->sleep(std::chrono::milliseconds(1));
    ASSERT_EQ(done.status, nvme::Status::success) << engine->last_error();
    for (std::uint64_t i = at; i < std::min(at + 4096, kBytes); ++i)
      ASSERT_EQ(static_cast<std::uint8_t>(memory[i - at]), byte_at(i));
  }
  EXPECT_GE(engine->routed().ahead_hit_bytes, kBytes - 8 * 4096);
  EXPECT_EQ(cached(), 0u);
}

// As of a log that another program writes and this one reads at once.
TEST_F(RoutedFileTest, LongReadsSeeWhatWasCachedSinceTheLastLook) {
  const auto engine = open(Route::automatic);
  auto memory = Column<std::byte>::allocate(kRead);
  ASSERT_NO_FATAL_FAILURE(read(*engine, 0, memory));
  const std::uint64_t before = found_cached(engine->routed());
  dirty(kRead, kRead);
  ASSERT_NO_FATAL_FAILURE(read(*engine, kRead, memory));
  EXPECT_GE(found_cached(engine->routed()), before + kRead);
  EXPECT_GE(engine->routed().dirty_bytes, kRead / 2) << "the kernel may have written some back by itself";
}

TEST_F(RoutedFileTest, DirtyPagesAreSeenAndCounted) {
  dirty(kRead, 100 * 4096);
  const auto engine = open(Route::automatic);
  expect_right(*engine);
  EXPECT_GE(engine->routed().dirty_bytes, 50u * 4096) << "the kernel may have written some back by itself";
}

/// From here on the kernel refuses this process a system call, as one does that lacks it. False where it does not allow that.
bool refuse(std::uint32_t call) {
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{static_cast<unsigned short>(std::size(rules)), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Half of the file is cached. Without cachestat mincore says which; without mincore what is partly cached counts as not.
TEST_F(RoutedFileTest, KernelsThatLackACallCostBytesAndNoAnswers) {
  struct Lack {
    std::uint32_t call;
    bool from_cache;  ///< pages come from the page cache all the same
  };
  for (const auto& [call, from_cache] : {Lack{451, true}, Lack{__NR_mincore, false}}) {
    evict(0, kBytes);
    for (std::uint64_t at = 0; at + kRead / 2 < kBytes; at += kRead) warm(at, kRead / 2);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!refuse(call)) ::_exit(77);
      const auto engine = open_with_slow_disk();
      expect_right(*engine);
      const RouteCounters routed = engine->routed();
      EXPECT_EQ(found_cached(routed) > kBytes / 3, from_cache) << call;
      EXPECT_GE(routed.cached_bytes + routed.direct_bytes, kBytes);
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "this system has no filters of system calls";
    EXPECT_EQ(status, 0) << "without system call " << call;
  }
}

TEST_F(RoutedFileTest, PartsAndCopiesAreLookedAtEachForItself) {
  const auto copy_of = [&](int fd) {
    std::string name = ::testing::TempDir() + "/graphrun_route_XXXXXX";
    const int copy = ::mkstemp(name.data());
    ::unlink(name.c_str());
    std::vector<char> bytes(kBytes);
    EXPECT_EQ(::pread(fd, bytes.data(), kBytes, 0), static_cast<ssize_t>(kBytes));
    EXPECT_EQ(::pwrite(copy, bytes.data(), kBytes, 0), static_cast<ssize_t>(kBytes));
    ::fsync(copy);
    return copy;
  };
  const int copy = copy_of(fd_);
  evict(0, kBytes);  // and the copy stays cached
  const auto engine = open_uring_engine({{"store", fd_, false, {{"copy", copy}}}}, 8, Route::automatic);
  expect_right(*engine);
  EXPECT_GT(engine->routed().direct_bytes, kBytes / 3);
  EXPECT_GT(found_cached(engine->routed()), kBytes / 3);
  ::close(copy);
}

TEST_F(RoutedFileTest, WritableFilesHaveOneRoute) {
  EXPECT_THROW(open_uring_engine({{"store", fd_, true}}, 8, Route::automatic), UsageError);
}

// Another process dirties, evicts and reads the file in patterns of a seed meanwhile. GRAPHRUN_ROUTE_RUNS: how many.
TEST_F(RoutedFileTest, AnswersAreRightWhileAnotherProcessDisturbsThePageCache) {
  const char* wanted = std::getenv("GRAPHRUN_ROUTE_RUNS");
  const int runs = wanted != nullptr ? std::atoi(wanted) : 4;
  for (int run = 0; run < runs; ++run) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (std::uint64_t i = 0;; ++i) {
        const std::uint64_t drawn = splitmix64(static_cast<std::uint64_t>(run), i, 0);
        const std::uint64_t begin = drawn / 8 % (kBytes / 4096 - 64) * 4096;
        const std::uint64_t bytes = (1 + drawn / 8 % 64) * 4096;
        if (drawn % 3 == 0) dirty(begin, bytes);
        if (drawn % 3 == 1) evict(begin, bytes);
        if (drawn % 3 == 2) warm(begin, bytes);
      }
    }
    {
      const auto engine = open(run % 4 == 3 ? Route::page_cache : Route::automatic);
      for (int pass = 0; pass < 3; ++pass) expect_right(*engine);
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

/// A longer one, of which the rest is of no interest.
class LongFile : public RoutedFileTest {
 protected:
  static constexpr std::uint64_t kMore = 60 << 20;

  void lengthen() const {
    const std::vector<char> more(kMore, 'a');
    ASSERT_EQ(::pwrite(fd_, more.data(), more.size(), kBytes), static_cast<ssize_t>(more.size()));
  }
  TransferCosts calibrate() const { return calibrate_storage({"store", fd_}, kBytes + kMore, 64); }
};

TEST_F(LongFile, EnginesOfAProcessMeasureItOnce) {
  constexpr std::uint32_t kDepthOfNoOtherTest = 11;
  lengthen();
  ::fsync(fd_);
  struct Listener {
    int said = 0;
    Listener() {
      log::set_sink([this](log::Severity, std::string_view line) { said += line.find("a direct read takes") != line.npos; });
    }
    ~Listener() { log::set_sink({}); }
  } listener;
  for (int engine = 0; engine < 2; ++engine) open_uring_engine({{"store", fd_}}, kDepthOfNoOtherTest, Route::automatic);
  EXPECT_EQ(listener.said, 1);
}

TEST_F(LongFile, CalibrationSaysWhatReadsTake) {
  constexpr std::uint32_t kReadBytes = 512 << 10;
  constexpr std::uint32_t kDepth = 16;
  constexpr double kNoise = 8;  // machines of tests do other work, too
  lengthen();
  ::fsync(fd_);
  const TransferCosts costs = calibrate();
  EXPECT_NE(costs.command_us, TransferCosts{}.command_us) << "nothing was timed";
  EXPECT_GT(costs.cached_page_us, 0);
  EXPECT_GE(costs.cutoff_pages, 1);
  auto memory = Column<std::byte>::allocate(std::size_t{kDepth} * kReadBytes);
  const auto engine = open_uring_engine({{"store", fd_}}, kDepth);
  const double us = 1e6 / reads_per_second(*engine, memory, {kReadBytes, kDepth, 256, 1000}, [](std::uint64_t i) {
                      return splitmix64(i) % ((kBytes + kMore) / kReadBytes) * kReadBytes;
                    });
  const double said = costs.direct(static_cast<double>(kReadBytes / cache_page_bytes()));
  EXPECT_GT(said, us / kNoise);
  EXPECT_LT(said, us * kNoise);
}

// Else the first reads would write it, and that is what would be timed.
TEST_F(LongFile, CalibrationDoesNotTimeWhatIsNotOnTheDisk) {
  lengthen();
  dirty(0, kBytes);
  const auto count = [&] { return count_cached(fd_, 0, kBytes + kMore)->dirty; };
  const std::uint64_t before = count();
  if (before < (kBytes + kMore) / cache_page_bytes()) GTEST_SKIP() << "the kernel wrote some of it at once";
  EXPECT_THROW(calibrate(), DataError);
  EXPECT_GE(count(), before / 2) << "reads past the page cache wrote it";
}

// Where another reader stopped, a page is marked: the kernel reads on from there once that page is read through a descriptor.
TEST_F(LongFile, CopiesOfWhatIsCachedBringInNoMore) {
  constexpr std::uint64_t kAll = (kBytes + kMore) / kRead * kRead;
  lengthen();
  ::fsync(fd_);
  evict(0, 0);
  const OwnedFd other(::open(fmt::format("/proc/self/fd/{}", fd_).c_str(), O_RDONLY));
  std::vector<char> beginning(4 * kRead);
  for (std::uint64_t at = 0; at < beginning.size(); at += 4096) ASSERT_EQ(::pread(other.get(), &beginning[at], 4096, at), 4096);
  const auto cached_bytes = [&] { return count_cached(fd_, 0, kAll)->cached * cache_page_bytes(); };
  const auto settled = [&] {  // what is on its way from the disk has come
    std::uint64_t last = cached_bytes();
    for (int tries = 0; tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::uint64_t before = std::exchange(last, cached_bytes());
      if (before == last) break;
    }
    return last;
  };
  const std::uint64_t before = settled();
  if (before >= kAll / 2) GTEST_SKIP() << "the kernel reads most of the file ahead";
  const auto engine = open_with_usual_costs();
  auto memory = Column<std::byte>::allocate(kRead);
  for (std::uint64_t at = 0; at < kAll; at += kRead) {
    ASSERT_NO_FATAL_FAILURE(read(*engine, at, memory));
  }
  EXPECT_GT(found_cached(engine->routed()), 0u);
  EXPECT_LE(settled(), before + before / 8);
}

}  // namespace
}  // namespace graphrun::test
