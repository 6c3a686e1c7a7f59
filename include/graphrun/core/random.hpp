// Counter-based randomness: a pure function of a seed and a position, so that what is drawn does not depend on the thread that
// draws it, nor on the order. Generators and random weights use nothing else.
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"

namespace graphrun {

/// One step of splitmix64 from state `x` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014, with Vigna's constants). A bijection of 64-bit words.
GR_HD constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Hash of an ordered triple.
GR_HD constexpr std::uint64_t splitmix64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return splitmix64(splitmix64(splitmix64(a) ^ b) ^ c);
}

/// A number in [0, 1) from the upper 53 bits of `word`.
GR_HD constexpr double unit_interval(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

}  // namespace graphrun
