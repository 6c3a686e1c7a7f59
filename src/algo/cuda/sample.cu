#include "graphrun/algo/sample_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun::inline GR_IDS {

template class SampleRun<CudaExecutor, DirectView>;
template class SampleRun<CudaExecutor, CountedView>;
template class SampleRun<CudaExecutor, DevicePagedView>;
template class SampleRun<CudaExecutor, DeviceStayingView>;
template class SampleRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
