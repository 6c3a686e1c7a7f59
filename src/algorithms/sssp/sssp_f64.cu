// SPDX-License-Identifier: Apache-2.0

#include "algorithms/sssp/paths.hpp"
#include "graphrun/ops/cuda_ordered.cuh"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_SSSP(View) template class SsspRun<CudaExecutor, View, float, double>;
GR_FOR_EACH_CUDA_VIEW(GR_SSSP)
#undef GR_SSSP
template class SsspRun<CudaExecutor, DirectView, float, float>;

}  // namespace graphrun::inline GR_IDS
