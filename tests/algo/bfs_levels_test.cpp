// SPDX-License-Identifier: Apache-2.0
// Levels that several threads make of parents at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

/// Long paths are where threads meet: each thread begins in the middle of one.
TEST(BfsLevels, OfAPathInAnyOrderAreItsPlaces) {
  constexpr std::size_t kLength = 300'000;
  std::vector<VertexId> path(kLength);
  std::iota(path.begin(), path.end(), VertexId{0});
  for (std::size_t i = kLength - 1; i > 0; --i) std::swap(path[i], path[number_below(i + 1, splitmix64(i))]);
  std::vector<VertexId> parents(kLength);
  parents[path[0]] = path[0];
  for (std::size_t i = 1; i < kLength; ++i) parents[path[i]] = path[i - 1];
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    const std::vector<std::uint32_t> levels = levels_from_parents(parents, path[0], pool);
    for (std::size_t i = 0; i < kLength; ++i) ASSERT_EQ(levels[path[i]], i) << threads << " threads, vertex " << path[i];
  }
}

TEST(BfsLevels, AreNotThoseOfTheSearchWhoseMemoryTheyReuse) {
  const std::vector<VertexId> parents = {0, 0, 1, kNoVertex};
  ThreadPool pool(2);
  const auto u = kUnreachedLevel;
  EXPECT_EQ(levels_from_parents(parents, 0, pool, {7, 7, 7, 7, 7, 7}), (std::vector<std::uint32_t>{0, 1, 2, u}));
}

TEST(BfsLevels, WhatDoesNotLeadToTheSourceIsUnreached) {
  // 0 <- 1 <- 2; 3 and 4 are each other's parents, and 4 is the parent of 5. 7 has no parent, and is the parent of 6.
  const std::vector<VertexId> parents = {0, 0, 1, 4, 3, 4, 7, kNoVertex};
  ThreadPool pool(2);
  const auto u = kUnreachedLevel;
  EXPECT_EQ(levels_from_parents(parents, 0, pool), (std::vector<std::uint32_t>{0, 1, 2, u, u, u, u, u}));
}

}  // namespace
}  // namespace graphrun::test
