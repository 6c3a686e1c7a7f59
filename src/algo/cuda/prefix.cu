// Beside sssp.cu, so that two compilers share what takes longest.
#include "graphrun/algo/prefix_impl.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_prefixes.cuh"

namespace graphrun::inline GR_IDS {

extern template class Paths<CudaExecutor, std::uint32_t>;
extern template class Paths<CudaExecutor, std::uint64_t>;
extern template class Paths<CudaExecutor, float>;

template class PrefixRun<CudaExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CudaExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CudaExecutor, DirectView, float, float>;
template class PrefixRun<CudaExecutor, CountedView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CudaExecutor, CountedView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CudaExecutor, CountedView, float, float>;
template class PrefixRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CudaExecutor, DevicePagedView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CudaExecutor, DevicePagedView, float, float>;
template class PrefixRun<CudaExecutor, DeviceStayingView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CudaExecutor, DeviceStayingView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CudaExecutor, DeviceStayingView, float, float>;

}  // namespace graphrun::inline GR_IDS
