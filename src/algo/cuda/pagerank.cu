#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun {

template class Pagerank<CudaExecutor, DirectView, float>;
template class Pagerank<CudaExecutor, DirectView, double>;

}  // namespace graphrun
