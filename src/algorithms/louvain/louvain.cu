// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/louvain/louvain_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_LOUVAIN(View) template class LouvainRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_LOUVAIN)
#undef GR_LOUVAIN

}  // namespace graphrun::inline GR_IDS
#endif
