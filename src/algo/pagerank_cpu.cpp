#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_PAGERANK(View)                               \
  template class PagerankRun<CpuExecutor, View, float>; \
  template class PagerankRun<CpuExecutor, View, double>;
GR_FOR_EACH_CPU_VIEW(GR_PAGERANK)
#undef GR_PAGERANK

}  // namespace graphrun::inline GR_IDS
