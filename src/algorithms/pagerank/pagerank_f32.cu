// SPDX-License-Identifier: Apache-2.0

#include "algorithms/pagerank/pagerank_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_PAGERANK(View) template class PagerankRun<CudaExecutor, View, float>;
GR_FOR_EACH_CUDA_VIEW(GR_PAGERANK)
GR_PACKED_CUDA_VIEW(GR_PAGERANK)
#undef GR_PAGERANK

}  // namespace graphrun::inline GR_IDS
