#include "graphrun/algo/sample_impl.hpp"
#include "graphrun/ops/cpu_items.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"

namespace graphrun::inline GR_IDS {

template class SampleRun<CpuExecutor, DirectView>;
template class SampleRun<CpuExecutor, PagedView>;
template class SampleRun<CpuExecutor, CpuSubwayView>;

}  // namespace graphrun::inline GR_IDS
