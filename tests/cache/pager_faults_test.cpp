// SPDX-License-Identifier: Apache-2.0
// Storage that delays, repeats, drops and fails, by itself and all at once, in some ten thousand runs; files that change
// while they are read; and more threads than cores. A run ends with the right bytes, or with an error that names its cause.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cache/fault_kinds.hpp"
#include "cache/hashed_store.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kFewerFaults = 20;
#else
constexpr int kFewerFaults = 1;
#endif
constexpr std::uint32_t kFaultyPageBytes = 512;
constexpr PageId kFaultyPages = HashedStore::kBytes / kFaultyPageBytes;

/// Runs `work(thread)` in `count` threads; returns the first of their storage errors, or nothing.
std::string error_of_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::string> errors(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      try {
        work(t);
      } catch (const RunError& error) {
        errors[static_cast<std::size_t>(t)] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto first = std::find_if(errors.begin(), errors.end(), [](const std::string& error) { return !error.empty(); });
  return first == errors.end() ? "" : *first;
}

PageId page_of(std::uint64_t seed, int thread, std::uint64_t i) {
  return splitmix64(seed, i, static_cast<std::uint64_t>(thread)) % kFaultyPages;
}

/// Reads random pages, and asks for some of them ahead.
void read_pages(HostPager& pager, std::uint64_t seed, int thread, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    pager.prefetch(page_of(seed, thread, i + 2));
    HashedStore::expect_page(pager, page_of(seed, thread, i));
  }
}

HostPager open_pager(const PagerOptions& options,
                     const std::function<std::unique_ptr<BlockEngine>(std::uint32_t depth)>& open_engine) {
  std::vector<PagedColumn> columns{{0, HashedStore::kBytes, 0}};
  return HostPager(options, columns, open_engine);
}

using StorageAndKind = std::tuple<const char*, FaultKind>;

class PagerFaults : public ::testing::TestWithParam<StorageAndKind> {
 protected:
  /// The error of a run, or nothing when all of it was right.
  std::string run(const FaultPlan& plan) {
    constexpr std::uint64_t kReads = 40;
    PagerOptions options{.page_bytes = kFaultyPageBytes, .cache_bytes = 8 * kFaultyPageBytes, .workers = 2};
    options.queue_depth = plan.seed % 2 == 0 ? 8 : 2;
    options.deadline = std::chrono::milliseconds(plan.dropped == 0 ? 10'000 : 5);
    HostPager pager = open_pager(
        options, [&](std::uint32_t depth) { return make_faulty_engine(store_.open(std::get<0>(GetParam()), depth), plan); });
    return error_of_threads(2, [&](int thread) { read_pages(pager, plan.seed, thread, kReads); });
  }

  HashedStore store_;
};

TEST_P(PagerFaults, ARunIsRightOrNamesItsCause) {
  constexpr std::chrono::seconds kMostForARun{5};
  const auto& [storage, kind] = GetParam();
  const int runs = std::max(5, (std::string(storage) == "file" ? kind.runs_of_a_file : kind.runs_in_memory) / kFewerFaults);
  int failed = 0;
  for (int i = 0; i < runs; ++i) {
    FaultPlan plan = kind.plan;
    plan.seed = static_cast<std::uint64_t>(i) + 1;
    const auto start = std::chrono::steady_clock::now();
    const std::string error = run(plan);
    ASSERT_LT(std::chrono::steady_clock::now() - start, kMostForARun) << "seed " << plan.seed;
    ASSERT_FALSE(HasFailure()) << "seed " << plan.seed;
    if (error.empty()) continue;
    ++failed;
    ASSERT_TRUE(names_one_of(error, kind.causes)) << "seed " << plan.seed << ": " << error;
    ASSERT_NE(error.find("page "), std::string::npos) << error;
  }
  RecordProperty("runs", runs);
  fmt::print("{} runs, {} of them failed and said why\n", runs, failed);
  constexpr int kEnoughToCount = 40;
  EXPECT_TRUE(kind.causes.empty() || runs < kEnoughToCount || failed > runs / 20) << "faults are too rare to test anything";
}

INSTANTIATE_TEST_SUITE_P(Storage, PagerFaults,
                         ::testing::Combine(::testing::Values("unlimited", "file"), ::testing::ValuesIn(kFaultKinds)),
                         [](const auto& test) {
                           const bool file = std::string(std::get<0>(test.param)) == "file";
                           return std::string(file ? "file_" : "memory_") + std::get<1>(test.param).name;
                         });

// A thread that waits for a place in a queue gives up, too: here every place is taken by a command that never comes back.
TEST(PagerFaultsOneByOne, AQueueThatStaysFullEndsAtTheDeadline) {
  const HashedStore store;
  PagerOptions options{.page_bytes = kFaultyPageBytes, .cache_bytes = 100 * kFaultyPageBytes, .queue_depth = 2, .workers = 2};
  options.deadline = std::chrono::milliseconds(20);
  HostPager pager = open_pager(
      options, [&](std::uint32_t depth) { return make_faulty_engine(store.open("unlimited", depth), {.dropped = 1000}); });
  pager.prefetch(10);
  pager.prefetch(20);
  try {
    pager.acquire(30);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find(kNoSlotFree), std::string::npos) << error.what();
  }
}

// Frames that storage may still write to are not published again.
// As when the thread that drew the ticket before was killed: the next thread must not wait for ever.
TEST(PagerFaultsOneByOne, ACommandBehindOneThatIsNeverWrittenEndsAtTheDeadline) {
  HashedStore store;
  PagerOptions options{.page_bytes = kFaultyPageBytes, .cache_bytes = 8 * kFaultyPageBytes};
  options.deadline = std::chrono::milliseconds(50);
  std::vector<PagedColumn> columns{{0, HashedStore::kBytes, 0}};
  HostPager pager(options, columns, [&](std::size_t queues, std::uint32_t depth) {
    auto storage =
        make_software_storage(queues, depth, [&](std::uint32_t engine_depth) { return store.open("file", engine_depth); });
    storage->queues()[0].draw_ticket();
    return storage;
  });
  EXPECT_EQ(error_of_threads(1, [&](int) { pager.acquire(0); }),
            "storage: a command of queue 0 was not sent within 1000 ms: the one before it was never written");
}

TEST(PagerFaultsOneByOne, ACacheIsNotEmptiedWhileCommandsAreOut) {
  const HashedStore store;
  PagerOptions options{.page_bytes = kFaultyPageBytes, .cache_bytes = 100 * kFaultyPageBytes, .queue_depth = 8, .workers = 1};
  options.deadline = std::chrono::milliseconds(20);
  HostPager pager = open_pager(
      options, [&](std::uint32_t depth) { return make_faulty_engine(store.open("unlimited", depth), {.dropped = 1000}); });
  pager.prefetch(7);
  EXPECT_THROW(pager.drop(), RunError);
}

/// Two threads read while `change` is made to the file, once each has read some pages.
std::string read_while_changing(std::uint64_t seed, const std::function<void(const HashedStore&)>& change) {
  constexpr std::uint64_t kReads = 30;
  const HashedStore store;
  PagerOptions options{.page_bytes = kFaultyPageBytes, .cache_bytes = 16 * kFaultyPageBytes, .queue_depth = 8, .workers = 2};
  HostPager pager = open_pager(options, [&](std::uint32_t depth) { return store.open("file", depth); });
  return error_of_threads(2, [&](int thread) {
    read_pages(pager, seed, thread, kReads);
    if (thread == 0) change(store);
    read_pages(pager, seed + 1'000'000, thread, kReads);
  });
}

// A file that becomes shorter while it is used gives an error that says so, not zeros.
TEST(PagerFilesThatChange, ATruncatedFileIsAnErrorOrWasReadBefore) {
  int failed = 0;
  const int runs = std::max(5, 60 / kFewerFaults);
  for (int seed = 1; seed <= runs; ++seed) {
    const std::uint64_t bytes = splitmix64(static_cast<std::uint64_t>(seed)) % HashedStore::kBytes;
    const std::string error = read_while_changing(
        static_cast<std::uint64_t>(seed), [&](const HashedStore& store) { std::filesystem::resize_file(store.path(), bytes); });
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", cut to " << bytes;
    if (error.empty()) continue;
    ++failed;
    ASSERT_NE(error.find("became shorter"), std::string::npos) << error;
  }
  fmt::print("{} runs, {} of them failed and said why\n", runs, failed);
  EXPECT_GT(failed, runs / 4);
}

TEST(PagerFilesThatChange, AnUnlinkedFileIsReadAllTheSame) {
  for (int seed = 1; seed <= std::max(5, 60 / kFewerFaults); ++seed) {
    const std::string error = read_while_changing(static_cast<std::uint64_t>(seed),
                                                  [](const HashedStore& store) { std::filesystem::remove(store.path()); });
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    ASSERT_EQ(error, "") << "seed " << seed;
  }
}

class PagerStress : public ::testing::TestWithParam<const char*> {};

// Far more threads than cores, in a cache with hardly a frame for each: threads lose their core while they hold pages, locks
// and tickets.
TEST_P(PagerStress, SixtyFourThreads) {
  constexpr int kThreads = 64;
  const std::uint64_t reads = kFewerFaults == 1 ? 400 : 100;
  const HashedStore store;
  PagerOptions options{.page_bytes = kFaultyPageBytes, .queue_depth = 2, .workers = kThreads};
  options.cache_bytes = HostPager::least_cache_bytes(options);
  options.deadline = std::chrono::minutes(2);
  HostPager pager = open_pager(options, [&](std::uint32_t depth) {
    return make_faulty_engine(store.open(GetParam(), depth), {.delayed = 100, .duplicated = 100});
  });
  EXPECT_EQ(error_of_threads(kThreads, [&](int thread) { read_pages(pager, 1, thread, reads); }), "");
  EXPECT_GT(pager.counters().misses, kThreads * reads / 2);
}

INSTANTIATE_TEST_SUITE_P(Storage, PagerStress, ::testing::Values("unlimited", "file"),
                         [](const auto& test) { return std::string(test.param) == "file" ? "file" : "memory"; });

}  // namespace
}  // namespace graphrun::test
