#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cuda_subway.cuh"

namespace graphrun::inline GR_IDS {

template class CcRun<CudaExecutor, CudaSubwayView>;

}  // namespace graphrun::inline GR_IDS
