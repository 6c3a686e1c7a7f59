#include "graphrun/algo/sssp_impl.hpp"
#include "graphrun/ops/cpu_ordered.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class SsspRun<CpuExecutor, PagedView, std::uint32_t, std::uint32_t>;
template class SsspRun<CpuExecutor, PagedView, std::uint32_t, std::uint64_t>;
template class SsspRun<CpuExecutor, PagedView, float, float>;

}  // namespace graphrun::inline GR_IDS
