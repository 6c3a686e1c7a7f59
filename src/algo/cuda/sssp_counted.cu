#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_ordered.cuh"

namespace graphrun::inline GR_IDS {

template class SsspRun<CudaExecutor, CountedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, CountedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, CountedView, float, float>;

}  // namespace graphrun::inline GR_IDS
