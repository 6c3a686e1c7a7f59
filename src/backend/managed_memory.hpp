// SPDX-License-Identifier: Apache-2.0
// The sizes with which uvm may run on a GPU. Managed memory beyond what a GPU has free can hang it, for all who use it.
#pragma once

#include <cstdint>
#include <optional>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// Sizes in bytes.
struct ManagedMemory {
  std::uint64_t needed = 0;            ///< managed memory of the run
  std::uint64_t state = 0;             ///< plain device memory of the run, with a margin for the driver
  std::uint64_t free = 0;              ///< of the GPU
  std::optional<std::uint64_t> limit;  ///< --gpu-memory: device memory for managed memory
  bool oversubscribe = false;          ///< --oversubscribe
};

/// Returns the bytes of plain allocations that leave the limit and the state; 0 without a limit. Throws UnavailableError where
/// the GPU has too little free, and UsageError where the limit is too small for a run that may not oversubscribe.
std::uint64_t bytes_to_hold(const ManagedMemory& memory);

}  // namespace graphrun::inline GR_IDS
