// Subway (Sabet, Zhao and Gupta, EuroSys 2020) and Liberator, whose .bcsr widens Subway's counts and offsets to 64 bits.
//
// Both have no more than two counts to be recognised by: V and E, from which the size of the file follows. Read as the other
// format, a file never has the right size. Let S be Subway's V and E in 32 bits; Liberator's V is then S.V + S.E * 2^32.
//  - S.E = 0: Subway's file has 8 + 4 S.V bytes, Liberator's at least 16 + 8 S.V.
//  - S.E > 0: Liberator's file has more than 8 (S.V + S.E * 2^32) bytes, Subway's, with weights, 8 + 4 S.V + 8 S.E.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "graphrun/core/error.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file_read.hpp"
#include "io/row_file_write.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr RowsFormat kSubway{.header_bytes = 8,
                             .offset_rule = OffsetRule::starts,
                             .offset_bytes = 4,
                             .id_bytes = 4,
                             .weight_place = WeightPlace::beside_ids,
                             .weight_coding = WeightCoding::u32};
constexpr RowsFormat kLiberator{.header_bytes = 16, .offset_rule = OffsetRule::starts, .offset_bytes = 8, .id_bytes = 4};

constexpr std::uint64_t kMostOfSubway = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostVerticesOfLiberator = std::uint64_t{1} << 32;
constexpr std::string_view kPlainSuffix = ".bcsr";
constexpr std::string_view kWeightedSuffix = ".bwcsr";

/// `bytes` holds the header.
RowsLayout subway_layout(std::string_view bytes, bool weighted) {
  return lay_out(kSubway, load_at<std::uint32_t>(bytes, 0), load_at<std::uint32_t>(bytes, 4), weighted);
}

RowsLayout liberator_layout(std::string_view bytes) {
  return lay_out(kLiberator, load_at<std::uint64_t>(bytes, 0), load_at<std::uint64_t>(bytes, 8), false);
}

/// The layout that has the size of the file; without edges both have, and the suffix decides.
std::optional<RowsLayout> find_subway_layout(const std::string& path, std::string_view bytes, std::uint64_t file_bytes) {
  const bool prefer_weighted = path.ends_with(kWeightedSuffix);
  for (const bool weighted : {prefer_weighted, !prefer_weighted}) {
    const RowsLayout layout = subway_layout(bytes, weighted);
    if (layout.end == file_bytes) return layout;
  }
  return std::nullopt;
}

}  // namespace

bool is_subway(const FileHead& head) {
  if (head.bytes.size() < kSubway.header_bytes) return false;
  const auto layout = find_subway_layout(head.path, head.bytes, head.file_bytes);
  return layout && starts_at_zero(*layout, head.bytes);
}

Graph read_subway(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const auto file = map_with_header(path, kSubway.header_bytes);
  const std::string_view bytes = bytes_of(*file);
  const auto layout = find_subway_layout(path, bytes, bytes.size());
  if (!layout) {
    const RowsLayout plain = subway_layout(bytes, false);
    throw_wrong_size(path, plain.num_vertices, plain.num_edges, {plain.end, subway_layout(bytes, true).end}, bytes.size());
  }
  return read_rows(*layout, RowsFiles::one(file), path, options, space, pool);
}

void write_subway(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                  ThreadPool& pool) {
  check_suffix_to_write(path, options.weighted, kPlainSuffix, kWeightedSuffix);
  const char* instead = options.weighted ? "Galois .gr" : "Liberator .bcsr";
  check_count_to_write(path, graph.num_vertices(), "vertices", kMostOfSubway, instead);
  check_count_to_write(path, graph.num_edges(), "edges", kMostOfSubway, instead);
  check_graph_to_write(graph, path, options, space, pool);
  std::string header;
  append(header, static_cast<std::uint32_t>(graph.num_vertices()));
  append(header, static_cast<std::uint32_t>(graph.num_edges()));
  const RowsLayout layout = lay_out(kSubway, graph.num_vertices(), graph.num_edges(), options.weighted);
  write_row_file(path, header, layout, graph.out, graph.weight_kind, space, pool);
}

bool is_liberator(const FileHead& head) {
  if (head.bytes.size() < kLiberator.header_bytes) return false;
  const RowsLayout layout = liberator_layout(head.bytes);
  return layout.end == head.file_bytes && starts_at_zero(layout, head.bytes);
}

Graph read_liberator(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const auto file = map_with_header(path, kLiberator.header_bytes);
  const RowsLayout layout = liberator_layout(bytes_of(*file));
  if (layout.end != file->bytes()) {
    throw_wrong_size(path, layout.num_vertices, layout.num_edges, {layout.end}, file->bytes());
  }
  return read_rows(layout, RowsFiles::one(file), path, options, space, pool);
}

void write_liberator(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                     ThreadPool& pool) {
  if (options.weighted) {
    throw UsageError(
        fmt::format("cannot write {} with weights: Liberator's .bcsr holds none; write Subway .bwcsr instead", path));
  }
  check_count_to_write(path, graph.num_vertices(), "vertices", kMostVerticesOfLiberator, "EMOGI .bel");
  check_graph_to_write(graph, path, options, space, pool);
  std::string header;
  append(header, std::uint64_t{graph.num_vertices()});
  append(header, std::uint64_t{graph.num_edges()});
  const RowsLayout layout = lay_out(kLiberator, graph.num_vertices(), graph.num_edges(), false);
  write_row_file(path, header, layout, graph.out, WeightKind::none, space, pool);
}

}  // namespace graphrun::io::inline GR_IDS
