// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/cancellation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun {
namespace {

using std::chrono::milliseconds;

struct Enough : std::runtime_error {
  Enough() : std::runtime_error("enough") {}
};

TEST(CancellationCheck, LoopsOfTheThreadThatMadeItLookUp) {
  ThreadPool pool(3);
  std::atomic<int> looks{0};
  const auto me = std::this_thread::get_id();
  {
    const CancellationCheck attendance(
        [&](const Progress*) {
          EXPECT_EQ(std::this_thread::get_id(), me);
          ++looks;
        },
        milliseconds(0));
    parallel_for(
        pool, 1000, [](std::size_t) {}, 10);
    EXPECT_GT(looks, 0);
    const int before = looks;
    std::thread other([] { check_cancelled(); });
    other.join();
    EXPECT_EQ(looks, before);
  }
  const int before = looks;
  check_cancelled();
  EXPECT_EQ(looks, before);
}

TEST(CancellationCheck, WhatALookThrowsEndsTheLoopOfAllWorkers) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    constexpr std::size_t kPieces = 1'000'000;
    std::atomic<std::size_t> done{0};
    bool begun = false;
    int looks = 0;
    const CancellationCheck attendance(
        [&](const Progress*) {
          ++looks;
          if (begun) throw Enough();
        },
        milliseconds(1));
    const auto loop = [&] {
      begun = true;
      Progress progress("counting");
      parallel_chunks(pool, kPieces, 1, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t i = begin; i < end; ++i) {
          std::this_thread::sleep_for(std::chrono::microseconds(20));
          progress.advance(1);
          ++done;
        }
      });
    };
    EXPECT_THROW(loop(), Enough) << threads;
    EXPECT_LT(done, kPieces) << threads;
    const int before = looks;
    std::this_thread::sleep_for(milliseconds(2));
    parallel_for(
        pool, 1000, [](std::size_t) {}, 10);
    EXPECT_EQ(looks, before) << "it threw once, and what cleans up may run loops";
  }
}

TEST(CancellationCheck, LooksAtMostOnceInAPauseAndSeesOnlyStagesThatLast) {
  ThreadPool pool(1);
  int looks = 0;
  const CancellationCheck attendance(
      [&](const Progress* stage) {
        ++looks;
        EXPECT_EQ(stage, nullptr);
      },
      std::chrono::hours(1));
  const Progress progress("short");
  for (int i = 0; i < 100; ++i) parallel_for(pool, 10, [](std::size_t) {});
  EXPECT_EQ(looks, 0);
}

TEST(Parallel, PiecesThatNobodyTookAreLeftOutOnceABodyThrew) {
  ThreadPool pool(2);
  constexpr std::size_t kPieces = 1'000'000;
  std::atomic<std::size_t> done{0};
  const auto loop = [&] {
    parallel_chunks(pool, kPieces, 1, [&](std::size_t begin, std::size_t, int) {
      if (begin == 0) throw Enough();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      ++done;
    });
  };
  EXPECT_THROW(loop(), Enough);
  EXPECT_LT(done, kPieces - 1);
}

}  // namespace
}  // namespace graphrun
