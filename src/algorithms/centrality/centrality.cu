// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/centrality/centrality_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE, CentralityRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE, CentralityRun)

}  // namespace graphrun::inline GR_IDS
#endif
