#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun::inline GR_IDS {

template class BfsRun<CudaExecutor, DeviceStayingView>;

}  // namespace graphrun::inline GR_IDS
