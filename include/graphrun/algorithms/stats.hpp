// SPDX-License-Identifier: Apache-2.0
// Statistics of one run of an algorithm.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

struct AlgoStats {
  std::uint64_t iterations = 0;      ///< levels, rounds or sweeps
  std::uint64_t edges_examined = 0;  ///< edges read by the operators
};

}  // namespace graphrun::inline GR_IDS
