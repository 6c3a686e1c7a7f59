#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun::inline GR_IDS {

template class CcRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
