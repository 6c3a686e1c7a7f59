// Beside sssp.cu, so that two compilers share what takes longest.
#include "graphrun/algo/prefix_impl.hpp"
#include "graphrun/ops/cuda_prefixes.cuh"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

extern template class Paths<CudaExecutor, std::uint32_t>;
extern template class Paths<CudaExecutor, std::uint64_t>;
extern template class Paths<CudaExecutor, double>;

#define GR_PREFIX(View)                                                       \
  template class PrefixRun<CudaExecutor, View, std::uint32_t, std::uint32_t>; \
  template class PrefixRun<CudaExecutor, View, std::uint32_t, std::uint64_t>; \
  template class PrefixRun<CudaExecutor, View, float, double>;
GR_FOR_EACH_CUDA_VIEW_IN_PLACE(GR_PREFIX)
#undef GR_PREFIX

}  // namespace graphrun::inline GR_IDS
