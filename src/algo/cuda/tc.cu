#include "graphrun/algo/tc_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class TcRun<CudaExecutor, DirectView>;
template class TcRun<CudaExecutor, CountedView>;
template class TcRun<CudaExecutor, DevicePagedView>;
template class TcRun<CudaExecutor, DeviceStayingView>;
template class TcRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
