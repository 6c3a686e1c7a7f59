// SPDX-License-Identifier: Apache-2.0

#include "algorithms/cc/cc_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

GR_FOR_EACH_CUDA_VIEW(GR_CUDA_INSTANCE, CcRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE, CcRun)

}  // namespace graphrun::inline GR_IDS
