// SPDX-License-Identifier: Apache-2.0
// Binary formats of one file with a header, as data: from a RowsFormat follow a file's layout, by which it is recognised, read
// and written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/graph/build.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {

enum class WeightPlace {
  behind_ids,  ///< all ids, then all weights
  beside_ids   ///< pairs of id and weight
};

/// Tells whether a file has weights.
enum class WeightRule { never, always, by_size, by_header };

/// The values of a header, and their defaults.
struct RowsHeader {
  std::uint64_t version = 1;
  std::uint64_t has_inverse = 0;
  std::uint64_t num_vertices = 0;
  std::uint64_t num_columns = 0;
  std::uint64_t num_edges = 0;
  std::uint64_t data_bytes = 0;  ///< an edge
  std::uint64_t file_bytes = 0;  ///< all of it
};

struct HeaderField {
  std::uint64_t RowsHeader::*value = nullptr;
  std::uint32_t bytes = 0;
};

struct RowsFormat {
  std::array<HeaderField, 4> header;
  OffsetRule offset_rule = OffsetRule::all;
  std::uint32_t offset_bytes = 8;  ///< or 4
  std::uint32_t id_bytes = 4;      ///< or 8
  WeightRule weight_rule = WeightRule::by_size;
  WeightPlace weight_place = WeightPlace::behind_ids;
  WeightCoding weight_coding = WeightCoding::unspecified;
  std::uint32_t ids_end_alignment = 1;  ///< zeros follow the ids up to a multiple of this many bytes
  std::uint64_t most_vertices;
  std::uint64_t most_edges = std::numeric_limits<std::uint64_t>::max();
  const char* instead = "EMOGI .bel";  ///< a format that holds more
  const char* instead_weighted = instead;
  std::string_view suffix = {};  ///< what programs that read it go by, where there are two
  std::string_view weighted_suffix = {};

  bool has(std::uint64_t RowsHeader::*value) const {
    return std::any_of(header.begin(), header.end(), [&](const HeaderField& field) { return field.value == value; });
  }
  std::uint32_t header_bytes() const { return header[0].bytes + header[1].bytes + header[2].bytes + header[3].bytes; }
};

namespace {

constexpr std::uint64_t kMostOfI32 = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostOfU32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kIdsOfU32 = kMostOfU32 + 1;

}  // namespace

/// GAP Benchmark Suite (Beamer, Asanovic and Patterson, 2015): serialised graphs, .sg without and .wsg with weights. Told apart
/// by the size of the file; without edges, by the suffix. The header of 17 bytes leaves everything behind it unaligned; its
/// counts are signed, and negative ones are too large here. The rows of a directed graph are followed by its inverse's,
/// which becomes Graph::in, with the weights again. Weights are u32 when none is negative, f32 otherwise.
constinit const RowsFormat kGapbs{
    .header = {{{&RowsHeader::has_inverse, 1}, {&RowsHeader::num_edges, 8}, {&RowsHeader::num_vertices, 8}}},
    .weight_place = WeightPlace::beside_ids,
    .weight_coding = WeightCoding::i32,
    .most_vertices = kMostOfI32,
    .suffix = ".sg",
    .weighted_suffix = ".wsg"};

/// Subway (Sabet, Zhao and Gupta, EuroSys 2020), .bcsr and .bwcsr. Told apart by the size of the file; without edges, by the
/// suffix.
///
/// Both Subway and Liberator have no more than two counts to be recognised by: V and E, from which the size of the file follows.
/// Read as the other format, a file never has the right size. Let S be Subway's V and E in 32 bits; Liberator's V is then
/// S.V + S.E * 2^32.
///  - S.E = 0: Subway's file has 8 + 4 S.V bytes, Liberator's at least 16 + 8 S.V.
///  - S.E > 0: Liberator's file has more than 8 (S.V + S.E * 2^32) bytes, Subway's, with weights, 8 + 4 S.V + 8 S.E.
constinit const RowsFormat kSubway{.header = {{{&RowsHeader::num_vertices, 4}, {&RowsHeader::num_edges, 4}}},
                                   .offset_rule = OffsetRule::starts,
                                   .offset_bytes = 4,
                                   .weight_place = WeightPlace::beside_ids,
                                   .weight_coding = WeightCoding::u32,
                                   .most_vertices = kMostOfU32,
                                   .most_edges = kMostOfU32,
                                   .instead = "Liberator .bcsr",
                                   .instead_weighted = "Galois .gr",
                                   .suffix = ".bcsr",
                                   .weighted_suffix = ".bwcsr"};

/// Liberator, .bcsr with 64-bit counts and offsets; without weights.
constinit const RowsFormat kLiberator{.header = {{{&RowsHeader::num_vertices, 8}, {&RowsHeader::num_edges, 8}}},
                                      .offset_rule = OffsetRule::starts,
                                      .weight_rule = WeightRule::never,
                                      .most_vertices = kIdsOfU32,
                                      .instead_weighted = "Subway .bwcsr"};

/// Galois .gr (Pingali and others, University of Texas), version 1, with no or 4 bytes of data an edge. Other data are recognised
/// and refused, and so is version 2, with 64-bit ids: Galois itself does not agree on its padding between reading and writing.
constinit const RowsFormat kGalois{.header = {{{&RowsHeader::version, 8},
                                               {&RowsHeader::data_bytes, 8},
                                               {&RowsHeader::num_vertices, 8},
                                               {&RowsHeader::num_edges, 8}}},
                                   .offset_rule = OffsetRule::ends,
                                   .weight_rule = WeightRule::by_header,
                                   .ids_end_alignment = 8,
                                   .most_vertices = kIdsOfU32};

/// Gunrock (Wang and others, PPoPP 2016): binary .csr of a matrix, always with f32 values. Nothing in it is telling enough to
/// recognise it by.
constinit const RowsFormat kGunrock{
    .header = {{{&RowsHeader::num_vertices, 4}, {&RowsHeader::num_columns, 4}, {&RowsHeader::num_edges, 4}}},
    .offset_bytes = 4,
    .weight_rule = WeightRule::always,
    .weight_coding = WeightCoding::f32,
    .most_vertices = kMostOfI32,
    .most_edges = kMostOfI32,
    .instead_weighted = "Galois .gr"};

/// GBBS (Dhulipala, Blelloch and Shun, SPAA 2018) and PASGAL: .bin. GBBS also has pairs of id and weight, in an order that its
/// compiler chooses; those are not read or written.
constinit const RowsFormat kGbbs{
    .header = {{{&RowsHeader::num_vertices, 8}, {&RowsHeader::num_edges, 8}, {&RowsHeader::file_bytes, 8}}},
    .weight_rule = WeightRule::never,
    .most_vertices = kIdsOfU32,
    .instead_weighted = "Galois .gr"};

namespace {

RowsHeader load_header(const RowsFormat& format, const char* bytes) {
  RowsHeader header;
  for (const auto& [value, size] : format.header) {
    if (value != nullptr) std::memcpy(&(header.*value), bytes, size);
    bytes += size;
  }
  return header;
}

void write_header(const RowsFormat& format, const RowsHeader& header, OutputFile& file) {
  for (const auto& [value, size] : format.header) {
    if (value != nullptr) file.write(&(header.*value), size);
  }
}

/// Lays out the columns in the order of the file, the first at `start`. Where a header's counts reach beyond 64 bits, `end` is
/// kTooLarge and the rest means nothing.
RowsLayout lay_out(const RowsFormat& format, const RowsHeader& header, std::uint64_t weight_bytes, std::uint64_t start) {
  RowsLayout layout;
  layout.num_vertices = header.num_vertices;
  layout.num_edges = header.num_edges;
  layout.offset_rule = format.offset_rule;
  layout.weight_coding = format.weight_coding;

  layout.offsets = {start, format.offset_bytes, format.offset_bytes};
  std::uint64_t end = end_of(start, header.num_vertices, format.offset_bytes);
  if (format.offset_rule == OffsetRule::all) end = end_of(end, 1, format.offset_bytes);

  const bool pairs = weight_bytes != 0 && format.weight_place == WeightPlace::beside_ids;
  const std::uint64_t stride = format.id_bytes + (pairs ? weight_bytes : 0);
  layout.neighbours = {end, stride, format.id_bytes};
  if (pairs) layout.weights = ColumnLayout{end + format.id_bytes, stride, weight_bytes};
  end = end_of(end, header.num_edges, stride);
  end = end_of(end, (format.ids_end_alignment - end % format.ids_end_alignment) % format.ids_end_alignment, 1);
  if (weight_bytes != 0 && !pairs) layout.weights = ColumnLayout{end, weight_bytes, weight_bytes};
  layout.end = pairs ? end : end_of(end, header.num_edges, weight_bytes);
  return layout;
}

/// A graph in a file, with the rows of its inverse after its own where the header says so.
struct FileLayout {
  RowsLayout out;
  std::optional<RowsLayout> in;

  FileLayout(const RowsFormat& format, const RowsHeader& header, std::uint64_t weight_bytes)
      : out(lay_out(format, header, weight_bytes, format.header_bytes())) {
    if (header.has_inverse != 0) in = lay_out(format, header, weight_bytes, out.end);
  }
  std::uint64_t end() const { return in ? in->end : out.end; }
};

/// Returns the layouts that a header may stand for.
std::vector<FileLayout> layouts_of(const RowsFormat& format, const RowsHeader& header) {
  switch (format.weight_rule) {
    case WeightRule::never:
      return {{format, header, 0}};
    case WeightRule::always:
      return {{format, header, kWeightBytes}};
    case WeightRule::by_header:
      return {{format, header, header.data_bytes}};
    case WeightRule::by_size:
      return {{format, header, 0}, {format, header, kWeightBytes}};
  }
  return {};
}

/// Returns the layout with the size of the file. Without edges both have it, and the suffix decides.
std::optional<FileLayout> find_layout(const RowsFormat& format, const RowsHeader& header, const std::string& path,
                                      std::uint64_t file_bytes) {
  std::optional<FileLayout> found;
  for (const FileLayout& layout : layouts_of(format, header)) {
    if (layout.end() == file_bytes && (!found || path.ends_with(format.weighted_suffix))) found = layout;
  }
  return found;
}

/// Returns whether `bytes`, the beginning of a file, allow that the first list starts at 0.
bool starts_at_zero(const RowsLayout& layout, std::string_view bytes) {
  const ColumnLayout& offsets = layout.offsets;
  if (layout.offset_rule == OffsetRule::ends || layout.num_offsets() == 0) return true;
  if (bytes.size() < offsets.offset + offsets.bytes) return true;
  return bytes.substr(offsets.offset, offsets.bytes).find_first_not_of('\0') == std::string_view::npos;
}

/// Returns whether a file of Galois's version 2 may have this size: with or without padding after the ids.
bool may_be_version_2(RowsFormat format, const RowsHeader& header, std::uint64_t file_bytes) {
  format.id_bytes = 8;
  const std::uint64_t end = lay_out(format, header, header.data_bytes, format.header_bytes()).end;
  return file_bytes == end || file_bytes == end_of(end, 1, format.id_bytes);
}

bool has_known_data(const RowsHeader& header) { return header.data_bytes == 0 || header.data_bytes == kWeightBytes; }

[[noreturn]] void throw_wrong_size(const RowsFormat& format, const RowsHeader& header, const Region& file) {
  std::vector<std::string> sizes;
  for (const FileLayout& layout : layouts_of(format, header)) {
    const std::string size = layout.end() == kTooLarge ? "more than 2^64" : std::to_string(layout.end());
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);  // without edges weights take nothing
  }
  raise<DataError>("{}: the header says {} vertices and {} edges, which take {} bytes, but the file has {}", file.path(),
                   header.num_vertices, header.num_edges, fmt::join(sizes, " or "), file.bytes());
}

void check_to_write(const RowsFormat& format, const Graph& graph, const std::string& path, bool weighted) {
  if (weighted && format.weight_rule == WeightRule::never) {
    raise<UsageError>("cannot write {} with weights: the format holds none; write {} instead", path, format.instead_weighted);
  }
  if (!weighted && format.weight_rule == WeightRule::always) {
    raise<UsageError>("cannot write {} without weights: Gunrock's .csr always has them", path);
  }
  const std::string_view wrong = weighted ? format.suffix : format.weighted_suffix;
  if (!wrong.empty() && path.ends_with(wrong)) {
    raise<UsageError>("cannot write {} {} weights: programs that read it expect that of {}", path, weighted ? "with" : "without",
                      weighted ? format.weighted_suffix : format.suffix);
  }
  const auto check_count = [&](std::uint64_t count, const char* what, std::uint64_t most) {
    if (count <= most) return;
    raise<UsageError>("cannot write {}: {} {}, but the format holds at most {}; write {} instead", path, count, what, most,
                      weighted ? format.instead_weighted : format.instead);
  };
  check_count(graph.num_vertices(), "vertices", format.most_vertices);
  check_count(graph.num_edges(), "edges", format.most_edges);
}

}  // namespace

bool is_in(const RowsFormat& format, const FileHead& head) {
  if (head.bytes.size() < format.header_bytes()) return false;
  const RowsHeader header = load_header(format, head.bytes.data());
  if (header.has_inverse > 1) return false;
  // A file that could only be refused, and holds no vertices, may as well be Liberator's of two vertices or of one with loops:
  // the first offset is where Galois has num_vertices.
  if ((header.version != 1 || !has_known_data(header)) && header.num_vertices == 0) return false;
  if (header.version != 1) return header.version == 2 && may_be_version_2(format, header, head.file_bytes);
  if (format.has(&RowsHeader::file_bytes) && header.file_bytes != head.file_bytes) return false;
  const auto layout = find_layout(format, header, head.path, head.file_bytes);
  return layout && starts_at_zero(layout->out, head.bytes);
}

Graph read_in(const RowsFormat& format, const std::string& path, const ReadOptions& options, const Workspace& space,
              ThreadPool& pool) {
  const auto file = map_with_header(path, format.header_bytes());
  const RowsHeader header = load_header(format, reinterpret_cast<const char*>(file->data()));
  if (header.has_inverse > 1) raise<DataError>("{}: byte 0 is {}, not 0 or 1", path, header.has_inverse);
  if (header.version != 1) raise<DataError>("{}: version {} of Galois .gr; this program reads version 1", path, header.version);
  auto layout = find_layout(format, header, path, file->bytes());
  if (!layout) throw_wrong_size(format, header, *file);
  if (format.has(&RowsHeader::file_bytes) && header.file_bytes != file->bytes()) {
    raise<DataError>("{}: the header says {} bytes (offset 16), but the file has {}", path, header.file_bytes, file->bytes());
  }
  if (!has_known_data(header)) {
    raise<DataError>("{}: edges with {} bytes of data (offset 8); this program reads 0 and 4", path, header.data_bytes);
  }
  if (format.has(&RowsHeader::num_columns) && header.num_vertices != header.num_columns) {
    raise<DataError>("{}: a matrix of {} rows and {} columns; only a square one is a graph", path, header.num_vertices,
                     header.num_columns);
  }
  const RowsFiles files{file, file, file};
  Graph graph = read_rows(layout->out, files, path, options, space, pool);
  graph.symmetric = format.has(&RowsHeader::has_inverse) && header.has_inverse == 0;
  if (!layout->in) return graph;
  layout->in->weights.reset();  // the arcs have them
  graph.in = read_rows(*layout->in, files, path + " (inverse)", options, space, pool).out;
  if (!is_transpose(graph.out, *graph.in, pool, space)) {
    raise<DataError>("{}: the stored inverse (from offset {} on) is not the inverse of the graph", path,
                     layout->in->offsets.offset);
  }
  return graph;
}

void write_in(const RowsFormat& format, const Graph& graph, const std::string& path, const WriteOptions& options,
              const Workspace& space, ThreadPool& pool) {
  check_to_write(format, graph, path, options.weighted);
  check_graph_to_write(graph, path, options, space, pool);
  RowsHeader header;
  header.has_inverse = format.has(&RowsHeader::has_inverse) && !graph.symmetric ? 1 : 0;
  header.num_vertices = header.num_columns = graph.num_vertices();
  header.num_edges = graph.num_edges();
  header.data_bytes = options.weighted ? kWeightBytes : 0;
  const FileLayout layout(format, header, header.data_bytes);
  header.file_bytes = layout.end();
  OutputFile file(path, SpecialTarget::refuse);
  const RowsOutputs files{file, file, file};
  write_header(format, header, file);
  write_rows(layout.out, files, graph.out, graph.weight_kind, path, space, pool);
  if (layout.in) {
    const Csr inverse = options.weighted ? transpose_with_weights(graph.out, graph.weight_kind, space, pool)
                        : graph.in       ? *graph.in
                                         : transpose(graph.out, pool, space);
    write_rows(*layout.in, files, inverse, graph.weight_kind, path, space, pool);
  }
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
