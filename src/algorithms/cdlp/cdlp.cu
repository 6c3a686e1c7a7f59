// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/cdlp/cdlp_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_CDLP(View) template class CdlpRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CDLP)
GR_PACKED_CUDA_VIEW(GR_CDLP)
#undef GR_CDLP

}  // namespace graphrun::inline GR_IDS
#endif
