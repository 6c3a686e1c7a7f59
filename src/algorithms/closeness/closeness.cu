// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/closeness/closeness_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_CLOSENESS(View)                               \
  extern template class BfsBatchRun<CudaExecutor, View>; \
  template class ClosenessRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CLOSENESS)
#undef GR_CLOSENESS

}  // namespace graphrun::inline GR_IDS
#endif
