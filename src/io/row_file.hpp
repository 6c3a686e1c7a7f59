// SPDX-License-Identifier: Apache-2.0
// CSR in binary files of other systems: the layout of columns, reading and writing. The source of a format has its header.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "graphrun/core/column.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/formats.hpp"

namespace graphrun::io::inline GR_IDS {

static_assert(std::endian::native == std::endian::little, "all these formats are little-endian, and are copied as they are");

inline constexpr std::uint32_t kWeightBytes = 4;  ///< of one weight, in every format that has any

/// The offsets that are stored, of n+1.
enum class OffsetRule {
  all,     ///< n+1
  starts,  ///< n: where each list begins
  ends     ///< n: where each list ends
};

/// The meaning of the 4 bytes of a weight.
enum class WeightCoding {
  unspecified,  ///< u32 or f32: the format leaves it to the programs
  u32,
  i32,
  f32
};

/// Element i is the number of `bytes` bytes at offset + i * stride in the file.
struct ColumnLayout {
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  std::uint64_t bytes = 0;
};

struct RowsLayout {
  std::uint64_t num_vertices = 0;
  std::uint64_t num_edges = 0;
  OffsetRule offset_rule = OffsetRule::all;
  WeightCoding weight_coding = WeightCoding::unspecified;
  ColumnLayout offsets;
  ColumnLayout neighbours;
  std::optional<ColumnLayout> weights;
  std::uint64_t end = 0;  ///< first byte behind all columns of one file

  std::uint64_t num_offsets() const { return offset_rule == OffsetRule::all ? num_vertices + 1 : num_vertices; }
};

/// Stands for sizes beyond 64 bits.
inline constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};

/// Returns start + count * bytes, or kTooLarge.
constexpr std::uint64_t end_of(std::uint64_t start, std::uint64_t count, std::uint64_t bytes) {
  std::uint64_t end = 0;
  const bool overflow = __builtin_mul_overflow(count, bytes, &end) || __builtin_add_overflow(start, end, &end);
  return overflow || start == kTooLarge ? kTooLarge : end;
}

/// Returns the number of 64 bits at `offset`. Precondition: the file reaches that far.
inline std::uint64_t load_u64(const Region& file, std::size_t offset) {
  std::uint64_t value;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

/// Maps a file that has at least `header_bytes`. Throws DataError.
std::shared_ptr<Region> map_with_header(const std::string& path, std::uint64_t header_bytes);

/// Writes zeros up to `offset` of the file.
void pad_to(OutputFile& file, std::uint64_t offset);

/// The files of columns, often the same one.
struct RowsFiles {
  std::shared_ptr<Region> offsets;
  std::shared_ptr<Region> neighbours;
  std::shared_ptr<Region> weights;  ///< may be null when the layout has no weights
};

/// Reads Graph::out and its weights, checked by check_csr. Columns in the form of memory are windows into the file; others are
/// copied to `space`. Precondition: all columns lie within their files. Throws DataError naming `where`, also for more vertices
/// than a VertexId can name, and for ids beyond it.
Graph read_rows(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
                const Workspace& space, ThreadPool& pool);

/// Checks a graph before it is written. Throws DataError where it is inconsistent, and UsageError where weights to write are
/// missing.
void check_graph_to_write(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                          ThreadPool& pool);

/// The outputs of columns.
struct RowsOutputs {
  OutputFile& offsets;
  OutputFile& neighbours;
  OutputFile& weights;
};

/// Writes columns at their places, with zeros between them and up to the end of the layout. `kind` is the kind of csr.weights,
/// ignored when the layout has none. Precondition: counts and ids fit. Throws UsageError naming `path` and the first edge whose
/// weight the format has no number for.
void write_rows(const RowsLayout& layout, const RowsOutputs& files, const Csr& csr, WeightKind kind, const std::string& path,
                const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
