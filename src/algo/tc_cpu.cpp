#include "graphrun/algo/tc_impl.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class TcRun<CpuExecutor, DirectView>;
template class TcRun<CpuExecutor, PagedView>;
template class TcRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
