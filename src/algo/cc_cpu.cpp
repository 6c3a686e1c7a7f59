#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_CC(View) template class CcRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_CC)
#undef GR_CC

}  // namespace graphrun::inline GR_IDS
