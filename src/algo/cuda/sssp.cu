#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_ordered.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class Paths<CudaExecutor, std::uint32_t>;
template class Paths<CudaExecutor, std::uint64_t>;
template class Paths<CudaExecutor, float>;

template class SsspRun<CudaExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, DirectView, float, float>;
template class SsspRun<CudaExecutor, CountedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, CountedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, CountedView, float, float>;
template class SsspRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, DevicePagedView, float, float>;
template class SsspRun<CudaExecutor, DeviceStayingView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, DeviceStayingView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, DeviceStayingView, float, float>;
template class SsspRun<CudaExecutor, CudaSubwayView, std::uint32_t, std::uint32_t>;
template class SsspRun<CudaExecutor, CudaSubwayView, std::uint32_t, std::uint64_t>;
template class SsspRun<CudaExecutor, CudaSubwayView, float, float>;

}  // namespace graphrun::inline GR_IDS
