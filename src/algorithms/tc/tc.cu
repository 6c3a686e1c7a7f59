// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/tc/tc_impl.hpp"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_TC(View) template class TcRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_TC)
#undef GR_TC

}  // namespace graphrun::inline GR_IDS
#endif
