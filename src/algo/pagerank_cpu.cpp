#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CpuExecutor, DirectView, float>;
template class PagerankRun<CpuExecutor, DirectView, double>;
template class PagerankRun<CpuExecutor, PagedView, float>;
template class PagerankRun<CpuExecutor, PagedView, double>;
template class PagerankRun<CpuExecutor, CpuSubwayView, float>;
template class PagerankRun<CpuExecutor, CpuSubwayView, double>;

}  // namespace graphrun::inline GR_IDS
