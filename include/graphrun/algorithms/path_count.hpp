// SPDX-License-Identifier: Apache-2.0
// Counts of shortest paths with a wide exponent: a mesh of 600 by 600 vertices has more between its corners than a double can
// count.
#pragma once

#include <cmath>
#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"

namespace graphrun::path_count {

/// A count in a word: 0, or (1 + mantissa / 2^42) * 2^exponent with the exponent plus 1 in the upper 22 bits. Words compare as
/// their counts, and rounding carries from the mantissa into the exponent. A sum has a relative error of at most 2^-43.
using Word = std::uint64_t;

inline constexpr int kMantissaBits = 42;
inline constexpr Word kOne = Word{1} << kMantissaBits;
/// Represents counts from 2^4194302 on.
inline constexpr Word kTooMany = ((Word{1} << (64 - kMantissaBits)) - 1) << kMantissaBits;

GR_HD constexpr Word significand_of(Word count) { return (count & (kOne - 1)) | kOne; }
GR_HD constexpr std::int64_t exponent_of(Word count) { return static_cast<std::int64_t>(count >> kMantissaBits) - 1; }

/// Returns a + b, rounded to nearest, ties to even, because a mesh adds equal counts, whose ties would otherwise all round up.
/// Returns kTooMany when a, b or the sum is too large.
GR_HD constexpr Word sum(Word a, Word b) {
  const Word more = a < b ? b : a;
  const Word less = a < b ? a : b;
  if (less == 0 || more >= kTooMany) return more < kTooMany ? more : kTooMany;
  const auto apart = static_cast<std::uint64_t>(exponent_of(more) - exponent_of(less));
  if (apart > kMantissaBits + 1) return more;
  constexpr int kGuardBits = 20;
  const Word exact = (significand_of(more) << kGuardBits) + ((significand_of(less) << kGuardBits) >> apart);
  const int doubled = static_cast<int>(exact >> (kMantissaBits + kGuardBits + 1));  // 1 where the sum is 2^(exponent + 1) or more
  const int dropped = kGuardBits + doubled;
  const Word is_odd = exact >> dropped & 1;
  const Word rounded = (exact + (Word{1} << (dropped - 1)) - 1 + is_odd) >> dropped;
  const Word result = (more >> kMantissaBits << kMantissaBits) + (static_cast<Word>(doubled) << kMantissaBits) + (rounded - kOne);
  return result < kTooMany ? result : kTooMany;
}

/// Returns part / whole, for 0 < part <= whole; 0 below the least double.
GR_HD inline double ratio(Word part, Word whole) {
  constexpr std::int64_t kLeastExponent = -1100;
  const std::int64_t apart = exponent_of(part) - exponent_of(whole);
  const double mantissas = static_cast<double>(significand_of(part)) / static_cast<double>(significand_of(whole));
  if (apart == 0) return mantissas;
  return apart < kLeastExponent ? 0.0 : ldexp(mantissas, static_cast<int>(apart));
}

/// Adds atomically.
GR_HD inline void fetch_add(Word& count, Word more) {
  for (;;) {
    const Word seen = atomics::load(count);
    if (atomics::compare_exchange(count, seen, sum(seen, more))) return;
  }
}

}  // namespace graphrun::path_count
