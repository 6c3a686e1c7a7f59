#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CudaExecutor, DeviceStayingView, float>;
template class PagerankRun<CudaExecutor, DeviceStayingView, double>;

}  // namespace graphrun::inline GR_IDS
