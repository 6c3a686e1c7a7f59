// The options of graphrun: which there are, and what a command line asks for.
#pragma once

#include <cxxopts.hpp>
#include <string>

#include "graphrun/run/options.hpp"

namespace graphrun::program {

cxxopts::Options graphrun_parser();
std::string graphrun_help(const cxxopts::Options& parser);

/// Warns of options that mean nothing to what is run. Throws UsageError naming the option at fault.
RunOptions run_options(const cxxopts::ParseResult& given);

}  // namespace graphrun::program
