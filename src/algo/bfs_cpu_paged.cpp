#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class BfsRun<CpuExecutor, PagedView>;

}  // namespace graphrun::inline GR_IDS
