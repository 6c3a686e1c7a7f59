// How a command line of graphrun becomes RunOptions, and what --help says.
#pragma once

#include <string>
#include <vector>

#include "graphrun/core/command_line.hpp"
#include "graphrun/run/gather.hpp"
#include "graphrun/run/options.hpp"
#include "manual.hpp"

namespace graphrun::program::inline GR_IDS {

const Manual& graphrun_manual();

/// Warns of options that the run does not read. Throws UsageError naming the option at fault.
RunOptions options_of(const CommandLine& given);
/// Of "gather [GRAPH]". Throws UsageError.
GatherOptions gather_options_of(const CommandLine& given);

}  // namespace graphrun::program::inline GR_IDS
