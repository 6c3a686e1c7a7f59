#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun {

template class BfsRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun
