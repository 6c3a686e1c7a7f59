#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_ordered.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun::inline GR_IDS {

template class SsspRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, DevicePagedView, float, float>;

}  // namespace graphrun::inline GR_IDS
