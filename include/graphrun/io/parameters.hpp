// SPDX-License-Identifier: Apache-2.0
// Parameters of algorithms that a graph's file brings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphrun/io/load.hpp"

namespace graphrun::inline GR_IDS {

/// A parameter of a file, for an option of graphrun.
struct FileParameter {
  std::string option;  ///< its name
  std::string text;    ///< its value, as on a command line
  std::string origin;  ///< "graph.NAME.bfs.source-vertex of FILE"
};

/// Returns what the .properties file of a graph of LDBC Graphalytics says for an algorithm; nothing for other graphs. Throws
/// DataError naming file and line.
std::vector<FileParameter> parameters_of(const std::string& spec, const LoadOptions& options, std::string_view algorithm);

}  // namespace graphrun::inline GR_IDS
