#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun::inline GR_IDS {

template class SsspRun<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, CpuSubwayView, float, float>;

}  // namespace graphrun::inline GR_IDS
