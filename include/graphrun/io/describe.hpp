// What a graph file holds, in words.
#pragma once

#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun {

/// Statistics, the histogram of degrees, and what each backend would need, for people to read. `spec` as in load_graph.
std::string describe_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool);

/// Reads everything, compares checksums where there are some, and says in one line that the file is sound. Throws DataError
/// when it is not.
std::string check_graph_file(const std::string& path, const LoadOptions& options, ThreadPool& pool);

}  // namespace graphrun
