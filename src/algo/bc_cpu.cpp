#include "graphrun/algo/bc_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class BcRun<CpuExecutor, DirectView>;
template class BcRun<CpuExecutor, PagedView>;
template class BcRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
