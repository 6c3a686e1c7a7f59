#include "graphrun/algo/tc_impl.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_TC(View) template class TcRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_TC)
#undef GR_TC

}  // namespace graphrun::inline GR_IDS
