#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CudaExecutor, DirectView, float>;
template class PagerankRun<CudaExecutor, DirectView, double>;

}  // namespace graphrun::inline GR_IDS
