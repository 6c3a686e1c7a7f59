// SPDX-License-Identifier: Apache-2.0
// Paged arrays over memory that a program hands in.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

using Words = PagedArray<std::uint64_t>;

constexpr std::uint64_t kSize = 50'003;  // no whole number of pages

std::vector<std::uint64_t> hashed_words() {
  std::vector<std::uint64_t> words(kSize);
  for (std::uint64_t i = 0; i < kSize; ++i) words[i] = splitmix64(i);
  return words;
}

TEST(MemoryArray, ReadsWhatTheMemoryHolds) {
  const std::vector<std::uint64_t> memory = hashed_words();
  for (const std::uint64_t frames : {2u, 20u, 200u}) {
    const auto array = Words::over(std::span(memory), {.cache_bytes = frames * 4096});
    ASSERT_EQ(array.size(), kSize);
    for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(array[i], memory[i]) << i;
    EXPECT_EQ(array.counters().bytes_read, kSize * 8) << "each page once, and of the last one what there is";
  }
}

TEST(MemoryArray, WhatIsWrittenGoesBackWhenItsFrameIsNeededAndWithAFlush) {
  std::vector<std::uint64_t> memory = hashed_words();
  for (const std::uint64_t frames : {2u, 20u, 200u}) {
    std::fill(memory.begin(), memory.end(), 1);
    auto array = Words::over(std::span(memory), {.cache_bytes = frames * 4096, .writable = true});
    for (std::uint64_t i = 0; i < kSize; ++i) array[i] = array[i] + i;
    const std::uint64_t kept = frames * 4096 / 8;
    if (kept < kSize) {
      EXPECT_EQ(memory[kSize - kept - 512], 1 + kSize - kept - 512) << "its page had to go";
    }
    EXPECT_EQ(memory[kSize - 1], 1u) << "its page is in the cache still";
    array.flush();
    for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(memory[i], 1 + i) << i;
    EXPECT_EQ(array.counters().bytes_written, kSize * 8);
    array.flush();
    EXPECT_EQ(array.counters().bytes_written, kSize * 8) << "nothing was dirty any more";
  }
}

TEST(MemoryArray, ItsEndWritesWhatWasNotFlushed) {
  std::vector<std::uint64_t> memory(kSize, 3);
  { Words::over(std::span(memory), {.writable = true})[kSize - 1] = 17; }
  EXPECT_EQ(memory[kSize - 1], 17u);
  EXPECT_EQ(memory[kSize - 2], 3u);
}

TEST(MemoryArray, AfterADropTheMemoryIsReadAnew) {
  std::vector<std::uint64_t> memory = hashed_words();
  auto array = Words::over(std::span(memory), {.writable = true});
  array[5] = 7;
  array.drop();
  EXPECT_EQ(memory[5], 7u);
  memory[6] = 8;
  EXPECT_EQ(array[6], 8u);
  EXPECT_EQ(array.counters().bytes_read, 4096u);
}

TEST(MemoryArray, ThreadsWriteToNeighbouringElements) {
  constexpr std::uint64_t kThreads = 4;
  std::vector<std::uint64_t> memory(kSize, 0);
  auto array = Words::over(std::span(memory), {.cache_bytes = 8 * 4096, .threads = kThreads, .writable = true});
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&array, t] {
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = t; i < kSize; i += kThreads) array[i] = array[i] + i;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  array.flush();
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(memory[i], 3 * i) << i;
}

TEST(MemoryArray, WhatCannotBeIsRefused) {
  std::vector<std::uint64_t> memory(kSize, 0);
  const std::span<const std::uint64_t> constant(memory);
  EXPECT_THROW(Words::over(constant, {.writable = true}), UsageError);
  EXPECT_THROW(Words::over(constant, {.page_bytes = 1000}), UsageError);
  EXPECT_THROW(Words::over(constant, {.cache_bytes = 4096}), UsageError);
  EXPECT_THROW(Words::over(constant, {.threads = 0}), UsageError);
  auto array = Words::over(std::span(memory));
  EXPECT_THROW(array[0] = 1, UsageError) << "it was not said to be writable";
  EXPECT_THROW(array.read(kSize), UsageError);
}

}  // namespace
}  // namespace graphrun::test
