#include "graphrun/algo/bfs_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun {

template class BfsRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun
