#include "algorithms/bc/bc_impl.hpp"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_BC(View) template class BcRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_BC)
#undef GR_BC

}  // namespace graphrun::inline GR_IDS
