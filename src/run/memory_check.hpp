// Whether a run fits into memory, before anything is read.
#pragma once

#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// Throws UnavailableError when loading the graph or running over it is estimated to take more than RunOptions::memory_bytes, or,
/// where that is not said, than there is to take. Looks at the beginning of the file only.
void check_memory(const RunOptions& options, const Device& device);

}  // namespace graphrun::inline GR_IDS
