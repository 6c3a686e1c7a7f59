#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class SsspRun<CudaExecutor, CudaSubwayView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, CudaSubwayView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, CudaSubwayView, float, float>;

}  // namespace graphrun::inline GR_IDS
