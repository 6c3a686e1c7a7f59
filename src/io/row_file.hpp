// CSR in binary files of other systems: where its columns lie, reading them and writing them. What remains for the source of a
// format is its header.
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

/// Which of the n+1 offsets of a Csr are stored.
enum class OffsetRule {
  all,     ///< n+1
  starts,  ///< n: where each list begins
  ends     ///< n: where each list ends
};

/// What the 4 bytes of a weight are.
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

/// No file is that long: what sizes become that do not fit 64 bits.
inline constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};

/// start + count * bytes, or kTooLarge.
constexpr std::uint64_t end_of(std::uint64_t start, std::uint64_t count, std::uint64_t bytes) {
  std::uint64_t end = 0;
  const bool overflow = __builtin_mul_overflow(count, bytes, &end) || __builtin_add_overflow(start, end, &end);
  return overflow || start == kTooLarge ? kTooLarge : end;
}

/// The number of 64 bits at `offset` of a file that reaches that far.
inline std::uint64_t load_u64(const Region& file, std::size_t offset) {
  std::uint64_t value;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

/// Maps a file that has at least `header_bytes`. Throws DataError.
std::shared_ptr<Region> map_with_header(const std::string& path, std::uint64_t header_bytes);

/// The files that columns lie in: often one and the same.
struct RowsFiles {
  std::shared_ptr<Region> offsets;
  std::shared_ptr<Region> neighbours;
  std::shared_ptr<Region> weights;  ///< may be null when the layout has no weights
};

/// Graph::out and its weights, checked by check_csr. Columns that are stored as memory would hold them are windows into the
/// file; the others are copied to `space`. The caller has made sure that all columns lie within their files.
/// Throws DataError naming `where`: also for more vertices than a VertexId can name, and for ids beyond it.
Graph read_rows(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
                const Workspace& space, ThreadPool& pool);

/// What every writer asks first: that the graph is consistent, since a file that its own reader would refuse must not come
/// into being (DataError), and that it has the weights that are to be written (UsageError).
void check_graph_to_write(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                          ThreadPool& pool);

/// The files that columns are written to.
struct RowsOutputs {
  OutputFile& offsets;
  OutputFile& neighbours;
  OutputFile& weights;
};

/// Writes columns, each at its place: what is missing before it, and up to the end of the layout, is filled with zeros. `kind`
/// says what csr.weights holds; it is ignored when the layout has no weights. The caller has made sure that counts and ids fit.
/// UsageError naming `path` and the first edge whose weight the format has no number for.
void write_rows(const RowsLayout& layout, const RowsOutputs& files, const Csr& csr, WeightKind kind, const std::string& path,
                const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
