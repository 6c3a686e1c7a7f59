// SPDX-License-Identifier: Apache-2.0
// Counts with a wide exponent beside exact arithmetic.
#include "graphrun/algorithms/path_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace graphrun::path_count {
namespace {

/// A count below 2^1023.
double value(Word count) {
  if (count == 0) return 0;
  return std::ldexp(static_cast<double>(significand_of(count)), static_cast<int>(exponent_of(count)) - kMantissaBits);
}

Word of(std::uint64_t whole) {
  Word result = 0;
  Word power = kOne;
  for (; whole != 0; whole >>= 1, power = sum(power, power)) {
    if ((whole & 1) != 0) result = sum(result, power);
  }
  return result;
}

TEST(PathCount, WholeNumbersAreExact) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t a = random() >> (22 + i % 40);
    const std::uint64_t b = random() >> (22 + i / 40 % 40);
    EXPECT_EQ(value(sum(of(a), of(b))), static_cast<double>(a + b)) << a << " + " << b;
    EXPECT_EQ(of(a) < of(b), a < b);
  }
  EXPECT_EQ(sum(0, 0), 0u);
  EXPECT_EQ(sum(0, kOne), kOne);
}

TEST(PathCount, SumsAreRoundedToTheNearestAndHalvesToEven) {
  std::mt19937_64 random(2);
  const auto any = [&] { return (random() % 800 + 1) << kMantissaBits | (random() & (kOne - 1)); };
  for (int i = 0; i < 100000; ++i) {
    const Word a = any();
    const Word b = i % 2 == 0 ? any() : a + (random() % 45 << kMantissaBits);
    EXPECT_NEAR(value(sum(a, b)) / (value(a) + value(b)), 1, 0x1.01p-43);
    EXPECT_EQ(sum(a, b), sum(b, a));
    EXPECT_GE(sum(a, b), a);
  }
  // One more than even, and two equal counts whose sum has an odd half.
  const Word odd = kOne + 1;
  EXPECT_EQ(sum(odd, odd), odd + kOne);
  EXPECT_EQ(sum(kOne, odd), 2 * kOne);
  EXPECT_EQ(sum(odd, odd + 1), 2 * kOne + 2);
}

TEST(PathCount, RatiosAreThoseOfCountsOfAnySize) {
  EXPECT_EQ(ratio(kOne, of(3)), 1.0 / 3);
  const Word large = of(12) + (Word{1000000} << kMantissaBits);
  EXPECT_EQ(ratio(of(3) + (Word{1000000} << kMantissaBits), large), 0.25);
  EXPECT_EQ(ratio(large, large), 1);
  EXPECT_EQ(ratio(kOne, large), 0);
  EXPECT_EQ(ratio(kOne, kOne + (Word{1060} << kMantissaBits)), 0x1p-1060);
}

TEST(PathCount, TooManyStayTooMany) {
  Word count = kOne;
  for (int doubled = 1; doubled <= 4194302; ++doubled) {
    ASSERT_LT(count, kTooMany);
    count = sum(count, count);
  }
  EXPECT_EQ(count, kTooMany);
  EXPECT_EQ(sum(count, kOne), kTooMany);
  EXPECT_EQ(sum(count, count), kTooMany);
}

}  // namespace
}  // namespace graphrun::path_count
