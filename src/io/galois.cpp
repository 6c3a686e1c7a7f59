// Galois .gr (Pingali and others, University of Texas), version 1. Version 2, with 64-bit ids, is refused: Galois itself does
// not agree on its padding between reading and writing.
#include <fmt/format.h>

#include "graphrun/core/error.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file_read.hpp"
#include "io/row_file_write.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr RowsFormat kGalois{.header_bytes = 32,
                             .offset_rule = OffsetRule::ends,
                             .offset_bytes = 8,
                             .id_bytes = 4,
                             .weight_place = WeightPlace::behind_ids,
                             .weight_coding = WeightCoding::unspecified,
                             .ids_end_alignment = 8};
constexpr std::uint64_t kIdBytesOfVersion2 = 8;

constexpr std::uint64_t kMostGaloisVertices = std::uint64_t{1} << 32;

struct GaloisHeader {
  std::uint64_t version = 0;
  std::uint64_t data_bytes = 0;  ///< an edge
  std::uint64_t num_vertices = 0;
  std::uint64_t num_edges = 0;
};
static_assert(sizeof(GaloisHeader) == kGalois.header_bytes);

RowsLayout galois_layout(const GaloisHeader& header) {
  return lay_out(kGalois, header.num_vertices, header.num_edges, header.data_bytes == kWeightBytes);
}

/// Size of the file, for any data of the edges.
std::uint64_t file_size(const GaloisHeader& header) {
  const RowsLayout plain = lay_out(kGalois, header.num_vertices, header.num_edges, false);
  return end_of(plain.end, header.num_edges, header.data_bytes);
}

/// True when a file of version 2 may have this size: with or without padding behind the ids.
bool may_be_version_2(const GaloisHeader& header, std::uint64_t file_bytes) {
  RowsFormat format = kGalois;
  format.id_bytes = kIdBytesOfVersion2;
  const RowsLayout plain = lay_out(format, header.num_vertices, header.num_edges, false);
  const std::uint64_t end = end_of(plain.end, header.num_edges, header.data_bytes);
  return file_bytes == end || file_bytes == end_of(end, 1, kIdBytesOfVersion2);
}

}  // namespace

bool is_galois(const FileHead& head) {
  if (head.bytes.size() < sizeof(GaloisHeader)) return false;
  const auto header = load_at<GaloisHeader>(head.bytes, 0);
  // A file that could only be refused, and holds no vertices, may as well be Liberator's of two vertices or of one with loops:
  // the first offset is where num_vertices would be.
  const bool readable = header.version == 1 && (header.data_bytes == 0 || header.data_bytes == kWeightBytes);
  if (!readable && header.num_vertices == 0) return false;
  if (header.version == 2) return may_be_version_2(header, head.file_bytes);
  return header.version == 1 && file_size(header) == head.file_bytes;
}

Graph read_galois(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const auto file = map_with_header(path, sizeof(GaloisHeader));
  const auto header = load_at<GaloisHeader>(bytes_of(*file), 0);
  if (header.version != 1) {
    throw DataError(fmt::format("{}: version {} of Galois .gr; this program reads version 1", path, header.version));
  }
  if (file_size(header) != file->bytes()) {
    throw_wrong_size(path, header.num_vertices, header.num_edges, {file_size(header)}, file->bytes());
  }
  if (header.data_bytes != 0 && header.data_bytes != kWeightBytes) {
    throw DataError(
        fmt::format("{}: edges with {} bytes of data (offset 8); this program reads 0 and 4", path, header.data_bytes));
  }
  return read_rows(galois_layout(header), RowsFiles::one(file), path, options, space, pool);
}

void write_galois(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                  ThreadPool& pool) {
  check_count_to_write(path, graph.num_vertices(), "vertices", kMostGaloisVertices, "EMOGI .bel");
  check_graph_to_write(graph, path, options, space, pool);
  const GaloisHeader header{1, options.weighted ? kWeightBytes : 0, graph.num_vertices(), graph.num_edges()};
  std::string bytes;
  append(bytes, header);
  write_row_file(path, bytes, galois_layout(header), graph.out, graph.weight_kind, space, pool);
}

}  // namespace graphrun::io::inline GR_IDS
