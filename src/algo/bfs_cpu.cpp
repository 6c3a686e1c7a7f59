#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_BFS(View) template class BfsRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_BFS)
#undef GR_BFS

}  // namespace graphrun::inline GR_IDS
