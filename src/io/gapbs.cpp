// GAP Benchmark Suite (Beamer, Asanovic and Patterson, 2015): serialised graphs, .sg without and .wsg with weights.
//
// The header of 17 bytes leaves everything behind it unaligned. The rows of a directed graph are followed by those of its
// inverse, with the weights again.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/build.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file_read.hpp"
#include "io/row_file_write.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr RowsFormat kGapbs{.header_bytes = 17,
                            .offset_rule = OffsetRule::all,
                            .offset_bytes = 8,
                            .id_bytes = 4,
                            .weight_place = WeightPlace::beside_ids,
                            .weight_coding = WeightCoding::i32};

constexpr std::uint64_t kMostGapbsVertices = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kPlainSuffix = ".sg";
constexpr std::string_view kWeightedSuffix = ".wsg";

struct GapbsHeader {
  std::uint8_t directed = 0;
  std::uint64_t num_edges = 0;  ///< in the file these two are signed: negative ones are too large here
  std::uint64_t num_vertices = 0;
};

struct GapbsLayout {
  RowsLayout out;
  std::optional<RowsLayout> in;
  std::uint64_t end = 0;
};

GapbsHeader load_header(std::string_view bytes) {
  return {load_at<std::uint8_t>(bytes, 0), load_at<std::uint64_t>(bytes, 1), load_at<std::uint64_t>(bytes, 9)};
}

std::string header_bytes(const GapbsHeader& header) {
  std::string bytes;
  append(bytes, header.directed);
  append(bytes, header.num_edges);
  append(bytes, header.num_vertices);
  return bytes;
}

GapbsLayout gapbs_layout(const GapbsHeader& header, bool weighted) {
  GapbsLayout layout;
  layout.out = lay_out(kGapbs, header.num_vertices, header.num_edges, weighted);
  layout.end = layout.out.end;
  if (header.directed != 0) {
    layout.in = lay_out(kGapbs, header.num_vertices, header.num_edges, weighted, layout.out.end);
    layout.end = layout.in->end;
  }
  return layout;
}

/// The layout that has the size of the file; without edges both have, and the suffix decides.
std::optional<GapbsLayout> find_layout(const GapbsHeader& header, const std::string& path, std::uint64_t file_bytes) {
  const bool prefer_weighted = path.ends_with(kWeightedSuffix);
  for (const bool weighted : {prefer_weighted, !prefer_weighted}) {
    const GapbsLayout layout = gapbs_layout(header, weighted);
    if (layout.end == file_bytes) return layout;
  }
  return std::nullopt;
}

/// The inverse without its weights, which are those of the arcs.
Csr read_inverse(RowsLayout layout, const std::shared_ptr<Region>& file, const std::string& path, const ReadOptions& options,
                 const Workspace& space, ThreadPool& pool) {
  layout.weights.reset();
  return read_rows(layout, RowsFiles::one(file), path + " (inverse)", options, space, pool).out;
}

}  // namespace

bool is_gapbs(const FileHead& head) {
  if (head.bytes.size() < kGapbs.header_bytes) return false;
  const GapbsHeader header = load_header(head.bytes);
  if (header.directed > 1) return false;
  const auto layout = find_layout(header, head.path, head.file_bytes);
  return layout && starts_at_zero(layout->out, head.bytes);
}

Graph read_gapbs(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const auto file = map_with_header(path, kGapbs.header_bytes);
  const GapbsHeader header = load_header(bytes_of(*file));
  if (header.directed > 1) throw DataError(fmt::format("{}: byte 0 is {}, not 0 or 1", path, header.directed));
  const auto layout = find_layout(header, path, file->bytes());
  if (!layout) {
    throw_wrong_size(path, header.num_vertices, header.num_edges,
                     {gapbs_layout(header, false).end, gapbs_layout(header, true).end}, file->bytes());
  }
  Graph graph = read_rows(layout->out, RowsFiles::one(file), path, options, space, pool);
  graph.symmetric = header.directed == 0;
  if (layout->in) {
    graph.in = read_inverse(*layout->in, file, path, options, space, pool);
    if (!is_transpose(graph.out, *graph.in, pool, space)) {
      throw DataError(fmt::format("{}: the stored inverse (from offset {} on) is not the inverse of the graph", path,
                                  layout->in->offsets.offset));
    }
  }
  return graph;
}

void write_gapbs(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                 ThreadPool& pool) {
  check_suffix_to_write(path, options.weighted, kPlainSuffix, kWeightedSuffix);
  check_count_to_write(path, graph.num_vertices(), "vertices", kMostGapbsVertices, "EMOGI .bel");
  check_graph_to_write(graph, path, options, space, pool);
  const GapbsHeader header{static_cast<std::uint8_t>(graph.symmetric ? 0 : 1), graph.num_edges(), graph.num_vertices()};
  const GapbsLayout layout = gapbs_layout(header, options.weighted);
  OutputFile file(path, SpecialTarget::refuse);
  file.write(header_bytes(header));
  RowsWriter(layout.out, graph.out, graph.weight_kind, path, space, pool).write(file);
  if (layout.in) {
    const Csr inverse = options.weighted ? transpose_with_weights(graph.out, graph.weight_kind, space, pool)
                        : graph.in       ? *graph.in
                                         : transpose(graph.out, pool, space);
    RowsWriter(*layout.in, inverse, graph.weight_kind, path, space, pool).write(file);
  }
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
