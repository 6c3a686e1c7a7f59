// SPDX-License-Identifier: Apache-2.0
// Converts any readable graph to a file in any writable format, in memory or within a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::inline GR_IDS {

struct ConvertOptions {
  LoadOptions load;                           ///< need_transpose is set as the output needs it
  std::string to;                             ///< name of an output format; empty: by the suffix of the output
  std::optional<WeightSource> weights;        ///< none: what the input holds
  bool store_transpose = true;                ///< native container: of a directed graph
  bool store_records = false;                 ///< native container: also lists sorted by weight (add_records())
  bool pack = false;                          ///< native container: pack lists and weights (graph/packed.hpp)
  EdgeId hub_chunk_edges = 0;                 ///< native container: store balanced CSR's table for this size of chunk; 0: none
  std::optional<std::uint64_t> raw_offset;    ///< .bel: write .dst and .val without header, payload here
  std::optional<std::uint64_t> memory_bytes;  ///< most memory of the whole process; none: as much as the machine has to spare
  std::string scratch_directory;              ///< where what does not fit goes; empty: beside the output
  std::shared_ptr<ArcSorter> sorter;          ///< sorts the graph in memory; none: the CPU does
};

/// The smallest memory_bytes that is accepted.
inline constexpr std::uint64_t kLeastConvertMemory = std::uint64_t{64} << 20;

/// Converts a graph. `output` is always the old or the new file, whole, and none that is read; "-" is standard output, for text,
/// which is written as it comes. The bytes do not depend on the memory, on the number of threads or on a GPU.
///
/// With memory_bytes, or when the input would take more than the machine has to spare, everything goes through scratch files:
/// several times the size of the graph on disk. Beyond memory_bytes come at most 24 bytes a vertex (when vertices are renamed or
/// lists sorted by something else than ids), and the longest list while it is passed over. The latter is in pages of a file,
/// which the system can take back. Throws DataError, UsageError, and UnavailableError where a required sorter cannot do it.
void convert_graph(const std::string& input, const std::string& output, const ConvertOptions& options, ThreadPool& pool);

/// Writes a graph in memory to a file in the format that the suffix names, as convert_graph() does without options: a native
/// container of a directed graph gets the transpose. Throws DataError and UsageError.
void save_graph(Graph graph, const std::string& output, ThreadPool& pool);

/// Parses a name of a format. Throws UsageError naming all formats.
FileFormat parse_file_format(const std::string& name);

/// Returns the name of a format, which parse_file_format() takes.
std::string to_string(FileFormat format);

/// Returns a line for each format, for --help.
std::string input_format_help();
std::string output_format_help();

}  // namespace graphrun::inline GR_IDS
