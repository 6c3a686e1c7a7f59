#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"

namespace graphrun::inline GR_IDS {

template class BfsRun<CpuExecutor, DirectView>;

}  // namespace graphrun::inline GR_IDS
