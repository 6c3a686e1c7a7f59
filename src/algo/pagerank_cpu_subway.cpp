#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun::inline GR_IDS {

template class PagerankRun<CpuExecutor, CpuSubwayView, float>;
template class PagerankRun<CpuExecutor, CpuSubwayView, double>;

}  // namespace graphrun::inline GR_IDS
