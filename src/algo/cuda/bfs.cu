#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class BfsRun<CudaExecutor, DirectView>;
template class BfsRun<CudaExecutor, CountedView>;
template class BfsRun<CudaExecutor, DevicePagedView>;
template class BfsRun<CudaExecutor, DeviceStayingView>;
template class BfsRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
