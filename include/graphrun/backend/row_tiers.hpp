// SPDX-License-Identifier: Apache-2.0
// Where hot feature rows are in the memory of several GPUs: the first are replicated, the others interleaved (Min, dissertation,
// section 4.3.2, listing 4.1). Interleaving spreads rows of falling score evenly over memories and links.
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"

namespace graphrun {

/// Maps a hot row, by its position in descending order of score, to a GPU and a row there. Each GPU has one array: its copies of
/// the replicated rows, then its interleaved ones. Trivially copyable.
struct RowTiers {
  std::uint64_t replicated = 0;  ///< rows with a copy on every GPU; at most all hot rows
  std::uint64_t hot = 0;         ///< replicated and interleaved rows
  unsigned gpus = 1;

  struct Place {
    unsigned gpu;
    std::uint64_t row;  ///< index in that GPU's array
  };

  /// Returns where GPU `mine` reads hot row `position`. Requires position < hot.
  GR_HD Place of(std::uint64_t position, unsigned mine) const {
    if (position < replicated) return {mine, position};
    const std::uint64_t offset = position - replicated;
    return {static_cast<unsigned>(offset % gpus), replicated + offset / gpus};
  }
  /// Returns the number of rows in a GPU's array.
  GR_HD std::uint64_t rows_on(unsigned gpu) const { return replicated + (hot - replicated + gpus - 1 - gpu) / gpus; }
  /// Returns the position of the row at `row` of a GPU's array, the inverse of of(). Requires row < rows_on(gpu).
  GR_HD std::uint64_t position_of(unsigned gpu, std::uint64_t row) const {
    return row < replicated ? row : replicated + (row - replicated) * gpus + gpu;
  }
};

}  // namespace graphrun
