#include "graphrun/algo/cc_impl.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"

namespace graphrun::inline GR_IDS {

template class CcRun<CudaExecutor, DevicePagedView>;

}  // namespace graphrun::inline GR_IDS
