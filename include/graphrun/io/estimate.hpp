// SPDX-License-Identifier: Apache-2.0
// Estimates the memory of a graph before it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "graphrun/core/types.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::inline GR_IDS {

/// Lengths of lists, by a sample of them.
struct ListLengths {
  double short_share = 0;  ///< vertices whose lists have less than half of the mean's edges, as a share of all
  double first_edges = 0;  ///< mean edges of a list, at most a sector of 32 bytes of each counted; 0: not known
};
/// Samples 128 lists at random; degree_of(v) returns the length of the list of v.
ListLengths sample_lengths(std::uint64_t vertices, std::uint64_t arcs,
                           const std::function<std::uint64_t(std::uint64_t)>& degree_of);

/// Size of a graph by the parameters of a generator, the header of a container, the size of another binary file, or the first
/// lines of a text. For text the numbers are guesses. All are 0 for unreadable files: reading says what is wrong.
struct LoadEstimate {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  bool directed = true;    ///< Graph::in comes beside Graph::out where it is asked for
  bool weighted = false;
  std::uint64_t weight_table_bytes = 0;  ///< of Graph::weight_table; where `mapped`, runs that reach weights copy it
  bool records = false;                  ///< the file holds Csr::records
  bool reversed_records = false;         ///< and those of reversed arcs, where these differ
  ListLengths lengths;                   ///< of the out-lists, where a sample was asked for
  std::uint64_t packed_bytes = 0;        ///< of the file's packed lists, and of weights packed beside them
  std::uint64_t unpacked_bytes = 0;      ///< of the plain lists and weights that these become
  std::uint64_t file_bytes = 0;          ///< of a container that is mapped
  bool mapped = false;  ///< columns stay in the file, and take no memory of the process; a transpose that is not there does
  std::uint64_t peak_bytes = 0;  ///< while it is read and built
  std::uint64_t held_bytes = 0;  ///< by the graph, once it is there
};

/// Memory of a program of this library before it has read anything, with the stacks of its threads.
inline constexpr std::uint64_t kProgramBytes = std::uint64_t{8} << 20;

/// Bytes a vertex that subgraphs take beside what algorithms do: their bitmaps, and the plan of one with every vertex.
inline constexpr std::uint64_t kSubgraphBitmapBytes = 2;
inline constexpr std::uint64_t kSubgraphPlanBytes = 2 * sizeof(EdgeId) + sizeof(VertexId);

/// Throws UnavailableError when `needed` bytes for `spec` are more than `allowed`, or, without a limit, than are free; `advice`
/// ends its sentence.
void require_memory(const std::string& spec, std::uint64_t needed, std::optional<std::uint64_t> allowed,
                    const std::string& advice);

/// Estimates a load without a workspace on disk. Looks at the content unless the format is given. `sample` adds lengths of 128
/// lists of a container, each a read of its file. Throws DataError, UsageError.
LoadEstimate estimate_load(const std::string& spec, const LoadOptions& options, bool sample = false);

}  // namespace graphrun::inline GR_IDS
