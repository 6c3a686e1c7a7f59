// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/louvain/louvain_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE, LouvainRun)

}  // namespace graphrun::inline GR_IDS
#endif
