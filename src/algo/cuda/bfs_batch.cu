#include "graphrun/algo/bfs_batch_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class BfsBatchRun<CudaExecutor, DirectView>;
template class BfsBatchRun<CudaExecutor, CountedView>;
template class BfsBatchRun<CudaExecutor, DevicePagedView>;
template class BfsBatchRun<CudaExecutor, DeviceStayingView>;
template class BfsBatchRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
