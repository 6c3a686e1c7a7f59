// SPDX-License-Identifier: Apache-2.0
// The common part of sssp and prefix on a GPU. Each source has one type of distances, so that a run loads only its kernels.
#pragma once

#include "algorithms/sssp/sssp_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

extern template class Paths<CudaExecutor, std::uint32_t>;
extern template class Paths<CudaExecutor, std::uint64_t>;
extern template class Paths<CudaExecutor, double>;
extern template class Paths<CudaExecutor, float>;

}  // namespace graphrun::inline GR_IDS
