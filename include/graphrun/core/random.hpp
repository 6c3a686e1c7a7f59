// SPDX-License-Identifier: Apache-2.0
// Counter-based randomness: a pure function of a seed and a position, independent of threads and order. Generators, random
// weights and samples use nothing else.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "graphrun/core/macros.hpp"

namespace graphrun {

/// Returns one step of splitmix64 from `x` (Steele, Lea and Flood, OOPSLA 2014, with Vigna's constants): a bijection.
GR_HD constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Returns a hash of an ordered triple.
GR_HD constexpr std::uint64_t splitmix64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return splitmix64(splitmix64(splitmix64(a) ^ b) ^ c);
}

/// Returns a number in [0, 1) from the upper 53 bits of `word`.
GR_HD constexpr double unit_interval(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

/// Returns a number in [0, bound), each as likely as the others but for one part in 2^64 / bound.
GR_HD inline std::uint64_t number_below(std::uint64_t bound, std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(bound, word);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{bound} * word >> 64);
#endif
}

/// Draws from the exponential distribution of mean 1, with the same bits on every compiler and processor, unlike their
/// logarithms. fma() fixes the rounding.
GR_HD inline double exponential(std::uint64_t word) {
  const double u = 1 - unit_interval(word);  // in (0, 1]
  const auto bits = std::bit_cast<std::uint64_t>(u);
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  const auto exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  const double m = std::bit_cast<double>((bits & kMantissa) | std::uint64_t{1023} << 52);  // in [1, 2): u is m * 2^exponent
  const double s = (m - 1) / (m + 1);                                                      // ln m is 2 artanh(s)
  const double z = s * s;
  double sum = 0;
  for (int odd = 33; odd > 1; odd -= 2) sum = std::fma(sum, z, 1.0 / odd);
  sum = std::fma(sum, z, 1.0);
  constexpr double kLn2 = 0.69314718055994530942;
  return std::fma(exponent, -kLn2, -2 * s * sum);
}

}  // namespace graphrun
