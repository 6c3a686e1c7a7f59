// Gunrock (Wang and others, PPoPP 2016): binary .csr of a matrix with f32 values.
#include <fmt/format.h>

#include <limits>

#include "graphrun/core/error.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file_read.hpp"
#include "io/row_file_write.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr RowsFormat kGunrock{.header_bytes = 12,
                              .offset_rule = OffsetRule::all,
                              .offset_bytes = 4,
                              .id_bytes = 4,
                              .weight_place = WeightPlace::behind_ids,
                              .weight_coding = WeightCoding::f32};
constexpr std::uint64_t kMostOfGunrock = std::numeric_limits<std::int32_t>::max();

}  // namespace

Graph read_gunrock(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const auto file = map_with_header(path, kGunrock.header_bytes);
  const std::string_view bytes = bytes_of(*file);
  const auto rows = load_at<std::uint32_t>(bytes, 0);
  const auto columns = load_at<std::uint32_t>(bytes, 4);
  const RowsLayout layout = lay_out(kGunrock, rows, load_at<std::uint32_t>(bytes, 8), true);
  if (layout.end != bytes.size()) {
    throw_wrong_size(path, rows, layout.num_edges, {layout.end}, bytes.size());
  }
  if (rows != columns) {
    throw DataError(fmt::format("{}: a matrix of {} rows and {} columns; only a square one is a graph", path, rows, columns));
  }
  return read_rows(layout, RowsFiles::one(file), path, options, space, pool);
}

void write_gunrock(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                   ThreadPool& pool) {
  if (!options.weighted) throw UsageError(fmt::format("cannot write {} without weights: Gunrock's .csr always has them", path));
  check_count_to_write(path, graph.num_vertices(), "vertices", kMostOfGunrock, "Galois .gr");
  check_count_to_write(path, graph.num_edges(), "edges", kMostOfGunrock, "Galois .gr");
  check_graph_to_write(graph, path, options, space, pool);
  std::string header;
  append(header, static_cast<std::uint32_t>(graph.num_vertices()));
  append(header, static_cast<std::uint32_t>(graph.num_vertices()));
  append(header, static_cast<std::uint32_t>(graph.num_edges()));
  const RowsLayout layout = lay_out(kGunrock, graph.num_vertices(), graph.num_edges(), true);
  write_row_file(path, header, layout, graph.out, graph.weight_kind, space, pool);
}

}  // namespace graphrun::io::inline GR_IDS
