// SPDX-License-Identifier: Apache-2.0

#include "algorithms/bfs/bfs_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_BFS(View) template class BfsRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_BFS)
#undef GR_BFS

}  // namespace graphrun::inline GR_IDS
