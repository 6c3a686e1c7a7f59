#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CudaExecutor, CountedView, float>;
template class PagerankRun<CudaExecutor, CountedView, double>;

}  // namespace graphrun::inline GR_IDS
