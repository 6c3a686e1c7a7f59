#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class BfsRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
