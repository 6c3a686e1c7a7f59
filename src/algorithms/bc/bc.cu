// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/bc/bc_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_BC(View) template class BcRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_BC)
#undef GR_BC

}  // namespace graphrun::inline GR_IDS
#endif
