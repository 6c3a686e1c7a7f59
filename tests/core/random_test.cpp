#include "graphrun/core/random.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace graphrun
