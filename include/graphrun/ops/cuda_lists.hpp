// SPDX-License-Identifier: Apache-2.0
// The functions of lists.hpp, on a GPU.
#pragma once

#include <cstdint>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/lists.hpp"

namespace graphrun::inline GR_IDS {

void load_list_kernels(CudaExecutor& exec);
EdgeId exclusive_sums(CudaExecutor& exec, DeviceArray<EdgeId>& array, std::size_t most = ~std::size_t{0});
std::uint64_t list_intersections(CudaExecutor& exec, const Lists& a, const Lists& b);
void tally_triangles(CudaExecutor& exec, const Lists& a, const Lists& b, const TriangleTally& tally);

}  // namespace graphrun::inline GR_IDS
