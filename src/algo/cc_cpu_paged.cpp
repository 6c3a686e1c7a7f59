#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun {

template class CcRun<CpuExecutor, PagedView>;

}  // namespace graphrun
