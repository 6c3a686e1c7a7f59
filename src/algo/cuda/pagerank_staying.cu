#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun {

template class Pagerank<CudaExecutor, DeviceStayingView, float>;
template class Pagerank<CudaExecutor, DeviceStayingView, double>;

}  // namespace graphrun
