// Measuring how fast a kernel reads a piece of host memory over the link.
#pragma once

#include <cstddef>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// GB/s (10^9) of 128-byte reads at random places of [memory, memory + bytes), the pattern of a traversal; best of three
/// short bursts. `memory` is readable by kernels and at least 128 bytes long.
double random_read_rate(CudaExecutor& exec, const void* memory, std::size_t bytes);

}  // namespace graphrun::cuda::inline GR_IDS
