#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun {

template class PagerankRun<CpuExecutor, CpuSubwayView, float>;
template class PagerankRun<CpuExecutor, CpuSubwayView, double>;

}  // namespace graphrun
