#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

template class BfsRun<CudaExecutor, CountedView>;

}  // namespace graphrun::inline GR_IDS
