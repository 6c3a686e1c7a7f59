// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/bfs/bfs_batch_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_BFS_BATCH(View) template class BfsBatchRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_BFS_BATCH)
#undef GR_BFS_BATCH

}  // namespace graphrun::inline GR_IDS
#endif
