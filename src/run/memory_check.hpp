// Whether a run fits into memory, before anything is read.
#pragma once

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// Of the graph that a run loads. Looks at the beginning of the file only.
LoadEstimate estimate_of(const RunOptions& options);

/// Throws UnavailableError when loading the graph or running over it is estimated to take more than RunOptions::memory_bytes, or,
/// where that is not said, than there is to take. `graph` is estimate_of() the options, whose variant is settled.
void check_memory(const RunOptions& options, const Device& device, const LoadEstimate& graph);

}  // namespace graphrun::inline GR_IDS
