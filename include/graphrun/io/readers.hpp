// SPDX-License-Identifier: Apache-2.0
// Readers and writers of single formats. load.hpp chooses among them.
#pragma once

#include <functional>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun {

/// Formats that graphs are read from (docs/formats.md).
enum class FileFormat { native, matrix_market, edge_list, csv, dimacs, metis, graphalytics, bel, gapbs, subway, liberator, galois, gunrock, gbbs };

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Looks at the content (decompressed where it is), and at the name where the content fits two formats. Throws DataError
/// when the file cannot be read, is in none of the formats, or is called MatrixMarket and lacks the banner. `columns`:
/// LoadOptions::columns are given, so that text other than MatrixMarket is an edge list or CSV.
/// `doubt` gets a sentence where the lines fit two separators.
FileFormat sniff_format(const std::string& path, bool columns = false, std::string* doubt = nullptr);

/// Reads MatrixMarket coordinate files: field real, integer or pattern; symmetry general, symmetric or skew-symmetric (both
/// mirrored off the diagonal, the latter with the opposite sign). Ids count from 1. Explicit zeros and repeated entries are arcs.
/// Field real gives f32 weights; integer gives u32 when none is negative, else (and for skew-symmetric) f32; pattern none. An
/// integer beyond 32 bits and a real that is no finite f32 are errors. Plain or compressed. A rectangular matrix needs
/// `bipartite`; then n = rows + columns. Throws DataError naming the line, UsageError.
EdgeList read_matrix_market(const std::string& path, bool bipartite, ThreadPool& pool);

/// Reads "u v" or "u v w" a line, 0-based ids, blanks or tabs, comment lines with '#' or '%'. n = largest id + 1. Weights are u32
/// when all are whole, not negative and below 2^32, f32 otherwise; either every line has one or none. Plain or compressed. Throws
/// DataError naming the line, also when n exceeds 2^20 + 512 times the lines.
EdgeList read_edge_list(const std::string& path, ThreadPool& pool);

/// Maps a native container (docs/formats.md). Columns of the result are windows into the mapped file: opening costs milliseconds
/// for a file of any size. Checks header, section table and sizes; contents only with `check`. Throws DataError, WideIdsError for
/// a file with 64-bit ids in a library of 32 bits. Ids of 32 bits are widened, and packed lists unpacked, into memory or `space`;
/// with `keep_packed` lists stay packed, and are unpacked for a check alone.
Graph read_native(const std::string& path, bool check, ThreadPool& pool, const Workspace& space = {}, bool keep_packed = false);
/// Reads all sections of a container that carry a checksum. Throws as read_native(), and for a wrong checksum.
void check_native_sums(const std::string& path, const Workspace& space = {});

/// Writes a container. `path` is always the old or the new file, whole (OutputFile). Throws DataError (disk full, no permission,
/// `path` is no regular file, inconsistent graph). The same graph gives the same bytes. `fill_records`, of begin_records(),
/// runs while the sections before records are written; errors of writing are thrown when it has ended.
void write_native(const Graph& graph, const std::string& path, ThreadPool& pool, const Workspace& space = {},
                  const std::function<void()>& fill_records = {});

}  // namespace graphrun::inline GR_IDS
