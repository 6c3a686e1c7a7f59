#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cpu_ordered.hpp"

namespace graphrun::inline GR_IDS {

template class SsspRun<CpuExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, DirectView, float, float>;

}  // namespace graphrun::inline GR_IDS
