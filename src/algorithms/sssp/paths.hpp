// What sssp and prefix share on a GPU. Each source of these has one type of distances: a run loads the kernels of its own.
#pragma once

#include "algorithms/sssp/sssp_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

extern template class Paths<CudaExecutor, std::uint32_t>;
extern template class Paths<CudaExecutor, std::uint64_t>;
extern template class Paths<CudaExecutor, double>;
extern template class Paths<CudaExecutor, float>;

}  // namespace graphrun::inline GR_IDS
