#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

template class CcRun<CudaExecutor, DirectView>;

}  // namespace graphrun::inline GR_IDS
