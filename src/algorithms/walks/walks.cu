// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/walks/walks_impl.hpp"
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE, WalksRun)

}  // namespace graphrun::inline GR_IDS
#endif
