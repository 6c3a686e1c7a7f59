// SPDX-License-Identifier: Apache-2.0
// The contents of a graph file, in words or as JSON.
#pragma once

#include <memory>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun {

enum class Description {
  text,  ///< lines and tables, for people
  json,  ///< one object without a final newline: docs/formats.md names its fields
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Returns "itself", "stored" or "none".
const char* transpose_of(const Graph& graph);

// Both throw as load_graph(), and UnavailableError before reading when the graph is estimated not to fit into memory.

/// Returns statistics, the degree histogram, and each backend's needs. `spec` as in load_graph, `sorter` as in Workspace.
std::string describe_graph(const std::string& spec, const LoadOptions& options, Description form, ThreadPool& pool,
                           std::shared_ptr<ArcSorter> sorter = nullptr);

/// Reads everything, verifies any checksums, and returns one line that the file is sound. Throws DataError when it is damaged.
std::string check_graph_file(const std::string& path, const LoadOptions& options, ThreadPool& pool,
                             std::shared_ptr<ArcSorter> sorter = nullptr);

}  // namespace graphrun::inline GR_IDS
