#include "graphrun/algo/bc_impl.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_BC(View) template class BcRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_BC)
#undef GR_BC

}  // namespace graphrun::inline GR_IDS
