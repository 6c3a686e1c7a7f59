// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "algorithms/access_pattern.hpp"

namespace graphrun::inline GR_IDS {

/// Returns the bits that levels of a batch of searches are expected to have beyond the usual 4.
inline std::uint64_t further_level_bits(const LoadEstimate& graph) {
  constexpr int kUsualBits = 4;
  constexpr double kDeepest = 4;  // times the steps of a search from the middle
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(kDeepest * low_degree_steps(graph))));
  return static_cast<std::uint64_t>(std::max(0, bits - kUsualBits));
}

}  // namespace graphrun::inline GR_IDS
