// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace graphrun {
namespace {

// The first outputs of Vigna's splitmix64.c from state 1234567; generated graphs and weights change if these do.
TEST(Random, IsTheReferenceSplitmix64) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;
  EXPECT_EQ(splitmix64(1234567), 6457827717110365317ull);
  EXPECT_EQ(splitmix64(1234567 + kStep), 3203168211198807973ull);
  EXPECT_EQ(splitmix64(1234567 + 2 * kStep), 9817491932198370423ull);
}

TEST(Random, TriplesDependOnEveryWordAndTheirOrder) {
  EXPECT_NE(splitmix64(1, 2, 3), splitmix64(2, 2, 3));
  EXPECT_NE(splitmix64(1, 2, 3), splitmix64(1, 3, 3));
  EXPECT_NE(splitmix64(1, 2, 3), splitmix64(1, 2, 4));
  EXPECT_NE(splitmix64(1, 2, 3), splitmix64(1, 3, 2));
}

TEST(Random, UnitIntervalNeverReachesOne) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1.0);
  EXPECT_EQ(unit_interval(std::uint64_t{1} << 63), 0.5);
}

TEST(Random, NumbersBelowABoundAreSharesOfAWord) {
  EXPECT_EQ(number_below(10, 0), 0u);
  EXPECT_EQ(number_below(10, ~std::uint64_t{0}), 9u);
  EXPECT_EQ(number_below(10, std::uint64_t{1} << 63), 5u);
  EXPECT_EQ(number_below(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0} - 1);
}

TEST(Random, ExponentialTimesAreLogarithms) {
  EXPECT_EQ(exponential(0), 0.0);
  double sum = 0;
  constexpr int kTimes = 100000;
  for (std::uint64_t i = 0; i < kTimes; ++i) {
    const std::uint64_t word = i < 1000 ? ~i << 11 : splitmix64(i);  // the largest times there are, too
    const double time = exponential(word);
    ASSERT_NEAR(time, -std::log1p(-unit_interval(word)), 1e-14 * std::max(1.0, time)) << word;
    sum += i < 1000 ? 1 : time;
  }
  EXPECT_NEAR(sum / kTimes, 1, 0.01);
}

}  // namespace
}  // namespace graphrun
