// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/kcore/kcore_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_KCORE(View) template class KcoreRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_KCORE)
GR_PACKED_CUDA_VIEW(GR_KCORE)
#undef GR_KCORE

}  // namespace graphrun::inline GR_IDS
#endif
