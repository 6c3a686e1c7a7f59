#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class CcRun<CpuExecutor, DirectView>;
template class CcRun<CpuExecutor, PagedView>;
template class CcRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
