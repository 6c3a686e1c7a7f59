// SPDX-License-Identifier: Apache-2.0

#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
#include "algorithms/sssp/paths.hpp"
#include "algorithms/sssp/prefix_impl.hpp"
#include "graphrun/ops/cuda_prefixes.cuh"
#include "graphrun/ops/cuda_views.cuh"

namespace graphrun::inline GR_IDS {

#define GR_PREFIX(View) template class PrefixRun<CudaExecutor, View, std::uint32_t, std::uint64_t>;
GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(GR_PREFIX)
#undef GR_PREFIX

}  // namespace graphrun::inline GR_IDS
#endif
