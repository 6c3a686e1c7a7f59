// A set of vertices, one bit each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// Words of 32 bits, so that a warp looking at 32 consecutive vertices owns exactly one. Trivially copyable, does not own.
struct BitmapRef {
  std::uint32_t* words = nullptr;

  GR_HD bool test(VertexId v) const { return (words[v / 32] >> (v % 32)) & 1u; }

  static constexpr std::size_t words_for(std::size_t vertices) { return (vertices + 31) / 32; }
};

}  // namespace graphrun::inline GR_IDS
