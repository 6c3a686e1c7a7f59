#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun {

template class CcRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun
