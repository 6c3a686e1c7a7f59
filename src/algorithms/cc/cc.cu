// SPDX-License-Identifier: Apache-2.0

#include "algorithms/cc/cc_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_CC(View) template class CcRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_CC)
GR_PACKED_CUDA_VIEW(GR_CC)
#undef GR_CC

}  // namespace graphrun::inline GR_IDS
