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

/// Throws UsageError naming the option at fault.
RunOptions options_of(const CommandLine& given);
/// Warns of options that were given and the run does not read.
void warn_of_unused(const CommandLine& given, const RunOptions& options);
/// Of "gather [GRAPH]". Throws UsageError.
GatherOptions gather_options_of(const CommandLine& given);

}  // namespace graphrun::program::inline GR_IDS
