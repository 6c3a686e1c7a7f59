#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"

namespace graphrun::inline GR_IDS {

template class CcRun<CpuExecutor, DirectView>;

}  // namespace graphrun::inline GR_IDS
