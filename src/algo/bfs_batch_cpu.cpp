#include "graphrun/algo/bfs_batch_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_BFS_BATCH(View) template class BfsBatchRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_BFS_BATCH)
#undef GR_BFS_BATCH

}  // namespace graphrun::inline GR_IDS
