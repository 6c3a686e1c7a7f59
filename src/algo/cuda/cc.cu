#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_packed_reader.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class CcRun<CudaExecutor, DirectView>;
template class CcRun<CudaExecutor, CountedView>;
template class CcRun<CudaExecutor, DevicePackedView>;
template class CcRun<CudaExecutor, DevicePagedView>;
template class CcRun<CudaExecutor, DeviceStayingView>;
template class CcRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
