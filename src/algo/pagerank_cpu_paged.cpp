#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CpuExecutor, PagedView, float>;
template class PagerankRun<CpuExecutor, PagedView, double>;

}  // namespace graphrun::inline GR_IDS
