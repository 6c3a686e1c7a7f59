// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace graphrun::bench {

/// Means of one GPU, in microseconds.
struct GpuFault {
  double total_us = 0;     ///< a load that faults, by the only thread of a kernel
  double transfer_us = 0;  ///< a copy of as many bytes from pinned memory, among many
};

/// Times `faults` loads of managed memory, each of another block of 2 MiB, which bring in its basic block of 64 KiB. Throws
/// UnavailableError without a GPU that pages on demand, or without room for them.
GpuFault time_gpu_faults(std::uint64_t faults);

inline constexpr std::uint64_t kGpuFaultBytes = std::uint64_t{64} << 10;

}  // namespace graphrun::bench
