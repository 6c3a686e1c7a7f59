#include "graphrun/algo/bc_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class BcRun<CudaExecutor, DirectView>;
template class BcRun<CudaExecutor, CountedView>;
template class BcRun<CudaExecutor, DevicePagedView>;
template class BcRun<CudaExecutor, DeviceStayingView>;
template class BcRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
