#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun {

template class BfsRun<CudaExecutor, CountedView>;

}  // namespace graphrun
