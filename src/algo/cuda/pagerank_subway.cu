#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun {

template class Pagerank<CudaExecutor, CudaSubwayView, float>;
template class Pagerank<CudaExecutor, CudaSubwayView, double>;

}  // namespace graphrun
