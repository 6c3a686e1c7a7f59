// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/msf/msf_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_MSF(View) template class MsfRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_MSF)
#undef GR_MSF

}  // namespace graphrun::inline GR_IDS
#endif
