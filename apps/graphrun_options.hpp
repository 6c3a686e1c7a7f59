// The options of graphrun: which there are, and what a command line asks for.
#pragma once

#include <string>

#include "graphrun/core/command_line.hpp"
#include "graphrun/run/options.hpp"

namespace graphrun::program {

std::string graphrun_usage();
std::string graphrun_help();
CommandLine graphrun_command_line(int argc, char** argv);

/// Warns of options that mean nothing to what is run. Throws UsageError naming the option at fault.
RunOptions run_options(const CommandLine& given);

}  // namespace graphrun::program
