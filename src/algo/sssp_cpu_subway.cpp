#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun {

template class Sssp<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint32_t>;
template class Sssp<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint64_t>;
template class Sssp<CpuExecutor, CpuSubwayView, float, float>;

}  // namespace graphrun
