// SPDX-License-Identifier: Apache-2.0
// Counts of the pages that the driver migrates, from the activity records of CUPTI.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Counts since reset(), of one GPU. Records slow down a run that faults often.
class ManagedTraffic {
 public:
  struct Counts {
    std::uint64_t bytes_in = 0;   ///< to the GPU
    std::uint64_t bytes_out = 0;  ///< to the host: evictions, and reads of the host
    std::uint64_t faults = 0;     ///< groups of faults that the driver served together
  };

  /// Begins to record, for the rest of the process. Throws UnavailableError where this build has no CUPTI, its library is not
  /// here, or the driver does not report migrations.
  explicit ManagedTraffic(int device);

  void reset() { before_ = now(); }
  /// Returns counts of all work that has finished.
  Counts counts() const;

 private:
  Counts now() const;

  int device_;
  Counts before_;
};

}  // namespace graphrun::cuda::inline GR_IDS
