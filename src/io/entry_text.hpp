// SPDX-License-Identifier: Apache-2.0
// Writing the edges of a graph as text, one a line.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "graphrun/core/output_file.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

/// Style of a line: the names of both ends and the weight, if there is one.
struct EntryStyle {
  WeightKind weights = WeightKind::none;             ///< what csr.weights holds; none: no weight is written
  std::span<const std::uint64_t> weight_table = {};  ///< u64: Graph::weight_table
  VertexNames names;                                 ///< what vertices are called
  char separator = ' ';                              ///< ',': names are quoted where CSV asks for it
  bool lower_only = false;                           ///< leave out edges to vertices of larger numbers
};

/// Writes the edges of `csr`, row by row, on all cores. Throws UsageError naming `path` and the edge of a non-finite weight.
void write_entries(OutputFile& file, const std::string& path, const Csr& csr, const EntryStyle& style, const Workspace& space,
                   ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
