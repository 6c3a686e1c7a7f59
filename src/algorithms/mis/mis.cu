// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/mis/mis_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_MIS(View) template class MisRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_MIS)
#undef GR_MIS

}  // namespace graphrun::inline GR_IDS
#endif
