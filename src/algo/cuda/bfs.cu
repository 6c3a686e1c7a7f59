#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun {

template class BfsRun<CudaExecutor, DirectView>;

}  // namespace graphrun
