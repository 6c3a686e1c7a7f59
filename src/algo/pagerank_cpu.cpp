#include "graphrun/algo/pagerank_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"

namespace graphrun {

template class Pagerank<CpuExecutor, DirectView, float>;
template class Pagerank<CpuExecutor, DirectView, double>;

}  // namespace graphrun
