#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CudaExecutor, CudaSubwayView, float>;
template class PagerankRun<CudaExecutor, CudaSubwayView, double>;

}  // namespace graphrun::inline GR_IDS
