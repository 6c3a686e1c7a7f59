#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun::inline GR_IDS {

template class BfsRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
