#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CpuExecutor, DirectView, float>;
template class PagerankRun<CpuExecutor, DirectView, double>;

}  // namespace graphrun::inline GR_IDS
