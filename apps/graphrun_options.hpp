// SPDX-License-Identifier: Apache-2.0
// Converts graphrun's command line to RunOptions, and describes it for --help.
#pragma once

#include <string>
#include <vector>

#include "graphrun/core/command_line.hpp"
#include "graphrun/run/gather.hpp"
#include "graphrun/run/options.hpp"
#include "manual.hpp"

namespace graphrun::program::inline GR_IDS {

const Manual& graphrun_manual();

/// Returns the options of a run. Throws UsageError naming the option at fault.
RunOptions options_of(const CommandLine& given);
/// Warns of given options that the run ignores.
void warn_of_unused(const CommandLine& given, const RunOptions& options);
/// Returns the options of "gather [GRAPH]". Throws UsageError.
GatherOptions gather_options_of(const CommandLine& given);

}  // namespace graphrun::program::inline GR_IDS
