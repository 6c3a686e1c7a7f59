// SPDX-License-Identifier: Apache-2.0
// Measures a kernel's read rate of host memory over the link.
#pragma once

#include <cstddef>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Returns GB/s (10^9) of random 128-byte reads in [memory, memory + bytes), the pattern of a traversal; best of three short
/// bursts. `memory` is readable by kernels and at least 128 bytes long.
double random_read_rate(CudaExecutor& exec, const void* memory, std::size_t bytes);

}  // namespace graphrun::cuda::inline GR_IDS
