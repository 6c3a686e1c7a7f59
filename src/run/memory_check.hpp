// What a run takes of the machine's memory, and whether there is so much, before anything is read.
#pragma once

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// Of the graph that the options name, with what the run needs of it.
LoadEstimate estimate_graph(const RunOptions& options);
/// Bytes of neighbours and weights that the run reaches.
std::uint64_t reached_bytes(const RunOptions& options, const LoadEstimate& graph);
/// Bytes of the machine's memory that a run over such a graph takes, through the backend that the options name.
std::uint64_t memory_needed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);

/// Throws UnavailableError when loading the graph or running over it is estimated to take more than RunOptions::memory_bytes, or,
/// where that is not said, than there is to take. Looks at the beginning of the file only.
void check_memory(const RunOptions& options, const Device& device);

}  // namespace graphrun::inline GR_IDS
