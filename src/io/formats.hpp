// SPDX-License-Identifier: Apache-2.0
// All formats, in one table: how each is named, recognised, read and written (docs/formats.md has their bytes).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// The beginning of a file, to recognise its format by.
struct FileHead {
  std::string path;
  std::string bytes;  ///< up to 64 KiB, decompressed
  std::uint64_t file_bytes = 0;
};

struct WriteOptions {
  bool weighted = false;                         ///< write the weights; UsageError when there are none or the format holds none
  std::optional<std::uint64_t> raw_offset = {};  ///< .bel: .dst and .val get no header and their payload begins here
  std::function<void()> fill_records = {};       ///< .grf: a parameter of write_native()
};

/// Text as a stream of entries. It may be compressed, and hold blank lines and CRLF. The function reads the header, next() the
/// rest, on all cores of `pool`, which must outlive the stream. Both throw DataError naming the first faulty line, with any
/// number of threads and ReadOptions::batch_bytes. That a file has fewer entries than its header announces is said instead of
/// publishing the last batch.
using OpenEntries = std::unique_ptr<EntryStream>(const std::string& path, const ReadOptions& options, ThreadPool& pool);

/// Reads binary files that hold CSR: columns are copied, or mapped where the file stores them as memory would. Checks the size of
/// a file against its header before it allocates, and offsets and ids afterwards. Throws DataError naming the file and what is
/// wrong. Graph::symmetric stays false where the format does not say.
using ReadRows = Graph(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);

/// Writes beside the target and renames (OutputFile). Throws DataError when the graph is inconsistent or cannot be written, and
/// UsageError when the format cannot hold it: too many vertices or edges, weights that it has no number for.
using WriteGraph = void(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                        ThreadPool& pool);

/// open_matrix_market: what read_matrix_market (readers.hpp) describes. Throws UsageError when a rectangular matrix lacks
/// ReadOptions::bipartite. open_edge_list: what read_edge_list describes, but for the density of ids (check_density in
/// entries.hpp), and not count_known(). open_csv: the same with commas, semicolons or tabs between the columns
/// (edge_columns.hpp).
///
/// open_dimacs: shortest-path graphs of the 9th DIMACS Implementation Challenge: comment lines "c ...", one line "p sp V E", then
/// E arcs "a SOURCE TARGET WEIGHT" with ids 1..V. Weights are integers of at most 32 bits: u32, or f32 when one is negative.
///
/// open_metis: adjacency lists of METIS (metis.cpp has the details): each undirected edge is listed from both its ends, so that
/// the arcs are Arcs::mirrored; whether they really are mirrored is not checked here. Edge weights become u32.
///
/// open_graphalytics: what graphalytics.hpp describes; `path` is the .properties file. Vertices ascend by their ids, which are
/// their names.
OpenEntries open_matrix_market, open_edge_list, open_csv, open_dimacs, open_metis, open_graphalytics;

/// Returns whether a text fits METIS's header: a line a vertex, every edge listed from both ends, as many as announced.
bool is_metis_text(std::string_view text);

/// Throws DataError where `head`, the beginning of the text in `path`, is of a format that is no edge list and not read: GML,
/// GraphML, DOT, Pajek, LGL, edges with arrows and others. The sentence names the commands for each meaning.
void refuse_foreign_text(const std::string& path, std::string_view head);

/// EMOGI and BaM: three files STEM.col, STEM.dst and, optionally, STEM.val. `path` is the stem or any of the three.
/// The only format that is recognised by its name, since only names hold the files together: STEM ends in ".bel", is no file
/// itself, and STEM.col exists. With ReadOptions::raw_offset, .dst and .val may be longer than their payload.
/// Writing replaces the files as a set: until all are complete, either the old graph is there or, for a moment, no STEM.col.
bool is_bel(const FileHead& head);
/// Returns STEM.col, STEM.dst and STEM.val, whether they exist or not.
std::vector<std::string> bel_files(const std::string& path);
ReadRows read_bel;
WriteGraph write_bel;

/// The formats of one file with a header (row_formats.cpp).
struct RowsFormat;
extern const RowsFormat kGapbs, kSubway, kLiberator, kGalois, kGunrock, kGbbs;

/// Returns whether a file is in a format, by header, size and first offset.
bool is_in(const RowsFormat& format, const FileHead& head);
Graph read_in(const RowsFormat& format, const std::string& path, const ReadOptions& options, const Workspace& space,
              ThreadPool& pool);
void write_in(const RowsFormat& format, const Graph& graph, const std::string& path, const WriteOptions& options,
              const Workspace& space, ThreadPool& pool);

template <const RowsFormat& kFormat>
Graph read_as(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  return read_in(kFormat, path, options, space, pool);
}
template <const RowsFormat& kFormat>
void write_as(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
              ThreadPool& pool) {
  write_in(kFormat, graph, path, options, space, pool);
}

/// Edge lists with blanks between the fields, and CSV with a header: the names of both ends of every stored edge and, with
/// WriteOptions::weighted, its weight. UsageError when a name cannot be a word of an edge list. Vertices without edges are not
/// in them.
WriteGraph write_edge_list, write_csv;

/// MatrixMarket coordinate text: pattern, integer (u32) or real (f32, in the fewest digits that read back as the same bits).
/// `symmetric`, with the lower triangle, when the graph is symmetric and both directions of every edge have the same weights;
/// otherwise `general`.
WriteGraph write_matrix_market;

/// Text holds entries in any order and is opened; binary files hold rows and are read. The native container is neither: it
/// keeps more than the others and load.cpp treats it by itself.
struct Format {
  FileFormat id;
  std::string_view name;     ///< what --format takes
  std::string_view title;    ///< what results say
  std::string_view content;  ///< for --help
  OpenEntries* open_entries = nullptr;
  ReadRows* read_rows = nullptr;
  std::uint64_t first_name = 0;  ///< the number that the format gives to its first vertex
};

std::span<const Format> formats();
const Format& format_of(FileFormat id);

enum class Weights { never, always, if_present };
/// How an output names vertices: by numbers from 0 or from 1 on, or as the input did.
enum class Naming { from_0, from_1, as_in_input };

/// A kind of output. Its name is what --to takes, and with a dot before it the suffix that asks for it.
struct OutputFormat {
  std::string_view name;
  std::string_view content;  ///< for --help
  Weights weights;
  WriteGraph* write;
  Naming naming = Naming::from_0;
  bool is_text = false;       ///< and can go to standard output
  bool bare_weights = false;  ///< it does not say whether its weights are u32 or f32
};

std::span<const OutputFormat> output_formats();

}  // namespace graphrun::io::inline GR_IDS
