#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"

namespace graphrun {

template class CcRun<CpuExecutor, DirectView>;

}  // namespace graphrun
