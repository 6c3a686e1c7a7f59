// The backends of the CPU executor, by delivery: what place_edges() chooses among.
#pragma once

#include <memory>

#include "backend/edge_store.hpp"
#include "graphrun/backend/backend.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<BackendOf<DirectView>> make_faulting_backend(const Graph& graph, const BackendOptions& options,
                                                             CpuExecutor& exec);
std::unique_ptr<BackendOf<PagedView>> make_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec);
std::unique_ptr<BackendOf<CpuSubwayView>> make_gathering_backend(const Graph& graph, const BackendOptions& options,
                                                                 CpuExecutor& exec);

}  // namespace graphrun::inline GR_IDS
