// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/parallel.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

class ParallelOn : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};

TEST_P(ParallelOn, ChunksCoverTheRangeOnceInPiecesOfTheGrain) {
  for (const std::size_t n : {0u, 1u, 9u, 10u, 11u, 20u, 1003u}) {
    std::vector<int> seen(n, 0);
    std::atomic<bool> sound{true};
    parallel_chunks(pool_, n, 10, [&](std::size_t begin, std::size_t end, int rank) {
      if (begin >= end || rank < 0 || rank >= pool_.size()) sound = false;
      if (end - begin > 10) sound = false;
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_TRUE(sound.load()) << n;
    EXPECT_EQ(seen, std::vector<int>(n, 1)) << n;
  }
}

TEST_P(ParallelOn, ForVisitsEachIndexOnce) {
  std::vector<int> seen(100003, 0);
  parallel_for(pool_, seen.size(), [&](std::size_t i) { ++seen[i]; });
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST_P(ParallelOn, ExceptionsLeaveTheLoop) {
  EXPECT_THROW(parallel_for(
                   pool_, 10000,
                   [](std::size_t i) {
                     if (i == 7777) throw DataError("here");
                   },
                   10),
               DataError);
  std::atomic<int> visits{0};
  parallel_tasks(pool_, 100, [&](std::size_t) { ++visits; });
  EXPECT_EQ(visits.load(), 100);
}

TEST_P(ParallelOn, SumsWholeNumbersExactly) {
  for (const std::size_t n : {0u, 1u, 4096u, 4097u, 100000u}) {
    const auto sum = parallel_sum<std::uint64_t>(pool_, n, [](std::size_t i) { return std::uint64_t{i}; });
    EXPECT_EQ(sum, n == 0 ? 0 : std::uint64_t{n} * (n - 1) / 2) << n;
  }
}

TEST_P(ParallelOn, ScanEqualsTheSerialOne) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536}, std::size_t{65543}, std::size_t{200001}}) {
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i * 2654435761u % 1000;
    std::vector<std::uint64_t> wanted(n);
    std::exclusive_scan(values.begin(), values.end(), wanted.begin(), std::uint64_t{0});
    const std::uint64_t total = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    EXPECT_EQ(exclusive_scan(pool_, values.data(), n), total) << n;
    EXPECT_TRUE(values == wanted) << n;
  }
}

TEST_P(ParallelOn, EachWorkerHasItsOwnSlot) {
  PerThread<std::uint64_t> counts(pool_, 5);
  parallel_chunks(pool_, 50000, 7, [&](std::size_t begin, std::size_t end, int rank) { counts[rank] += end - begin; });
  std::uint64_t total = 0;
  for (const auto& slot : counts) total += slot.value;
  EXPECT_EQ(total, 50000 + 5 * static_cast<std::uint64_t>(pool_.size()));
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelOn, testing::Values(1, 2, 7));

}  // namespace
}  // namespace graphrun
