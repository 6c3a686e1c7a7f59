// SPDX-License-Identifier: Apache-2.0
// The backends of the CPU executor by delivery, for place_edges().
#pragma once

#include <memory>

#include "graphrun/backend/backend.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<BackendOf<DirectView>> make_faulting_backend(const Graph& graph, const BackendOptions& options,
                                                             CpuExecutor& exec);
std::unique_ptr<BackendOf<PagedView>> make_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec);
std::unique_ptr<BackendOf<CpuSubwayView>> make_gathering_backend(const Graph& graph, const BackendOptions& options,
                                                                 CpuExecutor& exec);

}  // namespace graphrun::inline GR_IDS
