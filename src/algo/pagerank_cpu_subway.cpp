#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun {

template class Pagerank<CpuExecutor, CpuSubwayView, float>;
template class Pagerank<CpuExecutor, CpuSubwayView, double>;

}  // namespace graphrun
