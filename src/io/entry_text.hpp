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

/// What a line looks like: the names of both ends and the weight, if there is one.
struct EntryStyle {
  WeightKind weights = WeightKind::none;             ///< what csr.weights holds; none: no weight is written
  std::span<const std::uint64_t> weight_table = {};  ///< u64: Graph::weight_table
  VertexNames names;                                 ///< what vertices are called
  char separator = ' ';                              ///< ',': names are quoted where CSV asks for it
  bool lower_only = false;                           ///< leave out edges to vertices of larger numbers
};

/// Writes the edges of `csr`, row after row, on all cores. UsageError naming `path` and the edge when a weight is not finite.
void write_entries(OutputFile& file, const std::string& path, const Csr& csr, const EntryStyle& style, const Workspace& space,
                   ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
