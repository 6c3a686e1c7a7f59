// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/scc/scc_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_SCC(View) template class SccRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_SCC)
#undef GR_SCC

}  // namespace graphrun::inline GR_IDS
#endif
