// SPDX-License-Identifier: Apache-2.0

#include "algorithms/bfs/bfs_impl.hpp"
#include "graphrun/ops/cuda_search.cuh"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

GR_FOR_EACH_CUDA_VIEW(GR_CUDA_INSTANCE, BfsRun)

}  // namespace graphrun::inline GR_IDS
