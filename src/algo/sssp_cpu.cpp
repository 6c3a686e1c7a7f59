#include "graphrun/algo/prefix_impl.hpp"
#include "graphrun/ops/cpu_prefixes.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

template class Paths<CpuExecutor, std::uint32_t>;
template class Paths<CpuExecutor, std::uint64_t>;
template class Paths<CpuExecutor, double>;
template class Paths<CpuExecutor, float>;

#define GR_SSSP(View)                                                      \
  template class SsspRun<CpuExecutor, View, std::uint32_t, std::uint32_t>; \
  template class SsspRun<CpuExecutor, View, std::uint32_t, std::uint64_t>; \
  template class SsspRun<CpuExecutor, View, float, double>;
GR_FOR_EACH_CPU_VIEW(GR_SSSP)
#undef GR_SSSP
template class SsspRun<CpuExecutor, DirectView, float, float>;

#define GR_PREFIX(View)                                                      \
  template class PrefixRun<CpuExecutor, View, std::uint32_t, std::uint32_t>; \
  template class PrefixRun<CpuExecutor, View, std::uint32_t, std::uint64_t>; \
  template class PrefixRun<CpuExecutor, View, float, double>;
GR_FOR_EACH_CPU_VIEW_IN_PLACE(GR_PREFIX)
#undef GR_PREFIX

}  // namespace graphrun::inline GR_IDS
