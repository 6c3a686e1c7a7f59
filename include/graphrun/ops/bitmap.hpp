// SPDX-License-Identifier: Apache-2.0
// A set of vertices, one bit each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// A bitmap in words of 32 bits: a warp that looks at 32 consecutive vertices owns one word. Trivially copyable, does not own.
struct BitmapRef {
  std::uint32_t* words = nullptr;

  GR_HD bool test(VertexId v) const { return (words[v / 32] >> (v % 32)) & 1u; }
  /// Sets the bit; returns true to the one caller that changed it.
  GR_HD bool set(VertexId v) const {
    const std::uint32_t bit = 1u << (v % 32);
    if ((atomics::load(words[v / 32]) & bit) != 0) return false;
    return (atomics::fetch_or(words[v / 32], bit) & bit) == 0;
  }

  static constexpr std::size_t words_for(std::size_t vertices) { return (vertices + 31) / 32; }
};

/// Calls f(v) for each bit of words [first, last).
template <class F>
void for_each_member(const std::uint32_t* words, std::size_t first, std::size_t last, F&& f) {
  for (std::size_t i = first; i < last; ++i) {
    for (std::uint32_t word = words[i]; word != 0; word &= word - 1)
      f(static_cast<VertexId>(i * 32 + static_cast<std::size_t>(std::countr_zero(word))));
  }
}

}  // namespace graphrun::inline GR_IDS
