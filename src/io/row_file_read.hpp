// Reading CSR from a binary file whose layout is known.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/entry_stream.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {

/// Maps a file that has at least `header_bytes`. Throws DataError.
std::shared_ptr<Region> map_with_header(const std::string& path, std::uint64_t header_bytes);

/// The header does not fit the size of the file: `expected` lists the sizes that it may stand for. Throws DataError.
[[noreturn]] void throw_wrong_size(const std::string& path, std::uint64_t num_vertices, std::uint64_t num_edges,
                                   std::initializer_list<std::uint64_t> expected, std::uint64_t file_bytes);

/// The files that columns lie in: often one and the same.
struct RowsFiles {
  std::shared_ptr<Region> offsets;
  std::shared_ptr<Region> neighbours;
  std::shared_ptr<Region> weights;  ///< may be null when the layout has no weights

  static RowsFiles one(const std::shared_ptr<Region>& file) { return {file, file, file}; }
};

/// Graph::out and its weights, checked by check_csr. Columns that are stored as memory would hold them are windows into the
/// file; the others are copied to `space`. The caller has made sure that all columns lie within their files.
/// Throws DataError naming `where`: also for more vertices than a VertexId can name, and for ids beyond it.
Graph read_rows(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
                const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
