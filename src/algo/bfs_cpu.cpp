#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class BfsRun<CpuExecutor, DirectView>;
template class BfsRun<CpuExecutor, PagedView>;
template class BfsRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
