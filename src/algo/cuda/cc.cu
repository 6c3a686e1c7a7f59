#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun {

template class Cc<CudaExecutor, DirectView>;

}  // namespace graphrun
