#include "graphrun/algo/sample_impl.hpp"
#include "graphrun/ops/cpu_items.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

#define GR_SAMPLE(View) template class SampleRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_SAMPLE)
#undef GR_SAMPLE

}  // namespace graphrun::inline GR_IDS
