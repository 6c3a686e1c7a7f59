// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/sample/sample_impl.hpp"
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_SAMPLE(View) template class SampleRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_SAMPLE)
#undef GR_SAMPLE

}  // namespace graphrun::inline GR_IDS
#endif
