#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_ordered.cuh"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

template class Paths<CudaExecutor, std::uint32_t>;
template class Paths<CudaExecutor, std::uint64_t>;
template class Paths<CudaExecutor, double>;
template class Paths<CudaExecutor, float>;

#define GR_SSSP(View)                                                       \
  template class SsspRun<CudaExecutor, View, std::uint32_t, std::uint32_t>; \
  template class SsspRun<CudaExecutor, View, std::uint32_t, std::uint64_t>; \
  template class SsspRun<CudaExecutor, View, float, double>;
GR_FOR_EACH_CUDA_VIEW(GR_SSSP)
#undef GR_SSSP
template class SsspRun<CudaExecutor, DirectView, float, float>;

}  // namespace graphrun::inline GR_IDS
