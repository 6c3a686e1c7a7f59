#include "algorithms/tc/tc_impl.hpp"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_TC(View) template class TcRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_TC)
#undef GR_TC

}  // namespace graphrun::inline GR_IDS
