#include "algorithms/sample/sample_impl.hpp"
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_SAMPLE(View) template class SampleRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_SAMPLE)
#undef GR_SAMPLE

}  // namespace graphrun::inline GR_IDS
