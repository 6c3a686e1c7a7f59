// Text formats as streams of entries. All of them may be compressed, and hold blank lines and CRLF. Functions read the
// header, next() the rest, on all cores of `pool`, which must outlive the stream. Both throw DataError naming the first faulty
// line, whatever the number of threads and ReadOptions::batch_bytes. That a file has fewer entries than its header announces
// is said instead of handing out the last batch.
#pragma once

#include <memory>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// What read_matrix_market (readers.hpp) describes. Throws UsageError when a rectangular matrix lacks ReadOptions::bipartite.
std::unique_ptr<EntryStream> open_matrix_market(const std::string& path, const ReadOptions& options, ThreadPool& pool);

/// What read_edge_list (readers.hpp) describes, but for the density of ids: see check_density (entries.hpp).
/// Not count_known().
std::unique_ptr<EntryStream> open_edge_list(const std::string& path, const ReadOptions& options, ThreadPool& pool);

/// The same with commas, semicolons or tabs between the columns (edge_columns.hpp).
std::unique_ptr<EntryStream> open_csv(const std::string& path, const ReadOptions& options, ThreadPool& pool);

/// Shortest-path graphs of the 9th DIMACS Implementation Challenge: comment lines "c ...", one line "p sp V E", then E arcs
/// "a SOURCE TARGET WEIGHT" with ids 1..V. Weights are integers of at most 32 bits: u32, or f32 when one is negative.
std::unique_ptr<EntryStream> open_dimacs(const std::string& path, const ReadOptions& options, ThreadPool& pool);

/// Adjacency lists of METIS (metis.cpp has the details): each undirected edge is listed from both its ends, so that the
/// arcs are Arcs::mirrored; whether they really are mirrored is not checked here. Edge weights become u32.
std::unique_ptr<EntryStream> open_metis(const std::string& path, const ReadOptions& options, ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
