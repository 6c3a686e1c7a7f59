#include "graphrun/algo/prefix_impl.hpp"
#include "graphrun/ops/cpu_prefixes.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class Paths<CpuExecutor, std::uint32_t>;
template class Paths<CpuExecutor, std::uint64_t>;
template class Paths<CpuExecutor, float>;

template class SsspRun<CpuExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, DirectView, float, float>;
template class SsspRun<CpuExecutor, PagedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, PagedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, PagedView, float, float>;
template class SsspRun<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, CpuSubwayView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, CpuSubwayView, float, float>;

template class PrefixRun<CpuExecutor, DirectView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CpuExecutor, DirectView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CpuExecutor, DirectView, float, float>;
template class PrefixRun<CpuExecutor, PagedView, std::uint32_t, std::uint32_t>;
template class PrefixRun<CpuExecutor, PagedView, std::uint32_t, std::uint64_t>;
template class PrefixRun<CpuExecutor, PagedView, float, float>;

}  // namespace graphrun::inline GR_IDS
