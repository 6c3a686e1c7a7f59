#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_packed_reader.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CudaExecutor, DirectView, float>;
template class PagerankRun<CudaExecutor, DirectView, double>;
template class PagerankRun<CudaExecutor, CountedView, float>;
template class PagerankRun<CudaExecutor, CountedView, double>;
template class PagerankRun<CudaExecutor, DevicePackedView, float>;
template class PagerankRun<CudaExecutor, DevicePackedView, double>;
template class PagerankRun<CudaExecutor, DevicePagedView, float>;
template class PagerankRun<CudaExecutor, DevicePagedView, double>;
template class PagerankRun<CudaExecutor, DeviceStayingView, float>;
template class PagerankRun<CudaExecutor, DeviceStayingView, double>;
template class PagerankRun<CudaExecutor, CudaSubwayView, float>;
template class PagerankRun<CudaExecutor, CudaSubwayView, double>;

}  // namespace graphrun::inline GR_IDS
