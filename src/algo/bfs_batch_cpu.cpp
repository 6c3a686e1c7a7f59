#include "graphrun/algo/bfs_batch_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class BfsBatchRun<CpuExecutor, DirectView>;
template class BfsBatchRun<CpuExecutor, PagedView>;
template class BfsBatchRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
