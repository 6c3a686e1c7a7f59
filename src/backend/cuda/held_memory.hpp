// SPDX-License-Identifier: Apache-2.0
// Device memory that is held so that others cannot have it.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/edge_memory.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Plain allocations of the current device, freed at the end.
class HeldMemory {
 public:
  /// Allocates or frees until `bytes` are free, up to 2 MiB. Throws UnavailableError where that cannot be.
  void leave_free(std::uint64_t bytes);
  std::uint64_t bytes() const;

 private:
  std::vector<EdgeMemory> pieces_;
};

}  // namespace graphrun::cuda::inline GR_IDS
