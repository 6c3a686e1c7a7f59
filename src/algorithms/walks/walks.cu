// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/walks/walks_impl.hpp"
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_WALKS(View) template class WalksRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_WALKS)
#undef GR_WALKS

}  // namespace graphrun::inline GR_IDS
#endif
