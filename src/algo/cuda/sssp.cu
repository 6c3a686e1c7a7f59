#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_ordered.cuh"

namespace graphrun {

template class Sssp<CudaExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class Sssp<CudaExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class Sssp<CudaExecutor, DirectView, float, float>;

}  // namespace graphrun
