// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kMany = 1 << 20;  // pieces

class ThreadPoolOf : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, CallsEachRankOnceAFork) {
  ThreadPool pool(GetParam());
  ASSERT_EQ(pool.size(), GetParam());
  std::vector<int> calls(static_cast<std::size_t>(pool.size()), 0);
  constexpr int kForks = 2000;
  for (int fork = 0; fork < kForks; ++fork) {
    pool.run([&](int rank) { ++calls[static_cast<std::size_t>(rank)]; });  // unsynchronised on purpose: run() must order forks
  }
  EXPECT_EQ(calls, std::vector<int>(calls.size(), kForks));
}

TEST_P(ThreadPoolOf, WakesWorkersThatHaveGoneToSleep) {
  ThreadPool pool(GetParam());
  for (int fork = 0; fork < 5; ++fork) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> calls{0};
    pool.run([&](int) { ++calls; });
    EXPECT_EQ(calls.load(), pool.size());
  }
}

TEST_P(ThreadPoolOf, OffersAJobOnceToEachWorkerThatComes) {
  ThreadPool pool(GetParam());
  const auto workers = static_cast<std::size_t>(pool.size());
  std::vector<int> offered(workers, 0);  // unsynchronised on purpose, as above
  std::vector<int> ran(workers, 0);
  constexpr int kForks = 2000;
  for (int fork = 0; fork < kForks; ++fork) {
    const std::vector<int> before = offered;
    pool.offer(workers, [&](int rank) { ++offered[static_cast<std::size_t>(rank)]; });
    ASSERT_EQ(offered[0], fork + 1);
    for (std::size_t rank = 0; rank < workers; ++rank) ASSERT_LE(offered[rank], before[rank] + 1);
    if (fork % 3 == 0) pool.run([&](int rank) { ++ran[static_cast<std::size_t>(rank)]; });
  }
  EXPECT_EQ(ran, std::vector<int>(workers, (kForks + 2) / 3));
}

// The caller stays until all have come, which an offer alone would not wait for.
TEST_P(ThreadPoolOf, WaitsForWorkersThatTookAnOffer) {
  ThreadPool pool(GetParam());
  std::atomic<int> left{0};
  for (int fork = 1; fork <= 20; ++fork) {
    std::atomic<int> came{0};
    pool.offer(kMany, [&](int rank) {
      ++came;
      while (rank == 0 && came.load() < pool.size()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(rank));
      ++left;
    });
    ASSERT_EQ(left.load(), fork * pool.size());
  }
}

TEST_P(ThreadPoolOf, ThrowsTheExceptionOfAnOffer) {
  ThreadPool pool(GetParam());
  const int last = pool.size() - 1;
  std::atomic<int> came{0};
  const auto fail = [&](int rank) {
    ++came;
    while (rank == 0 && came.load() < pool.size()) std::this_thread::yield();
    if (rank == last) throw DataError("from a worker");
  };
  EXPECT_THROW(pool.offer(kMany, fail), DataError);
  EXPECT_NO_THROW(pool.offer(kMany, [](int) {}));
}

TEST_P(ThreadPoolOf, LetsFewerWorkersInThanPieces) {
  ThreadPool pool(GetParam());
  const int workers = pool.size();
  for (int pieces = 0; pieces <= workers + 1; ++pieces) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> came{0};
      const int most = std::clamp(pieces, 1, workers);
      pool.offer(static_cast<std::size_t>(pieces), [&](int rank) {
        ++came;
        while (rank == 0 && came.load() < most) std::this_thread::yield();                            // all that may come do
        if (rank == 0 && round % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // those who wait sleep
      });
      ASSERT_EQ(came.load(), most);
      std::atomic<int> ran{0};
      pool.run([&](int) { ++ran; });
      ASSERT_EQ(ran.load(), workers);
    }
  }
}

TEST_P(ThreadPoolOf, WaitsForSlowWorkers) {
  ThreadPool pool(GetParam());
  std::vector<int> done(static_cast<std::size_t>(pool.size()), 0);
  pool.run([&](int rank) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * rank));
    done[static_cast<std::size_t>(rank)] = 1;
  });
  EXPECT_EQ(done, std::vector<int>(done.size(), 1));
}

TEST_P(ThreadPoolOf, ThrowsOneWorkersExceptionAfterAllAreDoneAndWorksAgain) {
  ThreadPool pool(GetParam());
  const int last = pool.size() - 1;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    try {
      pool.run([&](int rank) {
        ++calls;
        if (rank == last) throw DataError("from a worker");
      });
      FAIL() << "the exception was lost";
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "from a worker");
    }
    EXPECT_EQ(calls.load(), pool.size());
    calls = 0;
    EXPECT_NO_THROW(pool.run([&](int) { ++calls; }));
    EXPECT_EQ(calls.load(), pool.size());
  }
}

TEST_P(ThreadPoolOf, ThrowsOnceWhenAllWorkersThrow) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(pool.run([](int rank) { throw std::runtime_error(std::to_string(rank)); }), std::runtime_error);
  EXPECT_NO_THROW(pool.run([](int) {}));
}

TEST_P(ThreadPoolOf, TakesCallablesThatCannotBeCopied) {
  ThreadPool pool(GetParam());
  std::atomic<int> sum{0};
  const auto owned = std::make_unique<int>(2);
  pool.run([&sum, value = std::make_unique<int>(*owned)](int) { sum += *value; });
  EXPECT_EQ(sum.load(), 2 * pool.size());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolOf, testing::Values(1, 2, 7));

TEST(ThreadPool, TwoPoolsAtOnce) {
  ThreadPool first(3);
  ThreadPool second(2);
  std::atomic<int> calls{0};
  std::jthread other([&] {
    for (int i = 0; i < 200; ++i) second.run([&](int) { ++calls; });
  });
  for (int i = 0; i < 200; ++i) first.run([&](int) { ++calls; });
  other.join();
  EXPECT_EQ(calls.load(), 200 * 5);
}

TEST(ThreadPool, ZeroMeansAllProcessors) { EXPECT_GE(ThreadPool(0).size(), 1); }

TEST(ThreadPool, UnusedPoolsEnd) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(4);
}

TEST(ThreadPool, RefusesSillySizes) {
  EXPECT_THROW(ThreadPool(-1), UsageError);
  EXPECT_THROW(ThreadPool(1 << 20), UsageError);
}

}  // namespace
}  // namespace graphrun
