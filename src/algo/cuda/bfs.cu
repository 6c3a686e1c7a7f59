#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

template class BfsRun<CudaExecutor, DirectView>;

}  // namespace graphrun::inline GR_IDS
