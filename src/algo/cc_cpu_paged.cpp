#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class CcRun<CpuExecutor, PagedView>;

}  // namespace graphrun::inline GR_IDS
