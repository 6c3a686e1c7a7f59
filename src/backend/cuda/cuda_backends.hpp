// SPDX-License-Identifier: Apache-2.0
// The backends of the CUDA executor, by delivery, for place_edges().
#pragma once

#include <memory>

#include "graphrun/backend/backend.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::inline GR_IDS {

CudaBackend make_paged_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);
std::unique_ptr<BackendOf<CudaSubwayView>> make_gathering_backend(const Graph& graph, const BackendOptions& options,
                                                                  CudaExecutor& exec);
/// Makes emogi over packed lists.
std::unique_ptr<BackendOf<DevicePackedView>> make_packed_backend(const Graph& graph, const BackendOptions& options,
                                                                 CudaExecutor& exec);
/// Makes `counted` with kernels that count their link requests.
std::unique_ptr<BackendOf<CountedView>> make_counting_backend(std::unique_ptr<BackendOf<DirectView>> counted, CudaExecutor& exec);

}  // namespace graphrun::inline GR_IDS
