// SPDX-License-Identifier: Apache-2.0
// EMOGI (Min and others, VLDB 2020) and BaM (Qureshi and others, ASPLOS 2023): three files, STEM.col with the offsets, STEM.dst
// with the neighbours and STEM.val with the weights. Each has a header of two words: the number of its elements, and an unused
// one. BaM also places the payload of .dst and .val on a raw device, without headers, where the program says.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "core/raise.hpp"
#include "io/archive.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint32_t kOffsetBytes = 8;
constexpr std::uint32_t kIdBytes = 8;

struct BelPaths {
  std::string stem, col, dst, val;
};

BelPaths bel_paths(const std::string& path) {
  constexpr std::size_t kSuffixLength = 4;
  std::string stem = path;
  for (const char* suffix : {".bel.col", ".bel.dst", ".bel.val"}) {
    if (path.ends_with(suffix)) stem.resize(path.size() - kSuffixLength);
  }
  return {stem, stem + ".col", stem + ".dst", stem + ".val"};
}

/// Returns a layout whose columns are in files of their own: `end` means nothing.
RowsLayout bel_layout(std::uint64_t num_vertices, std::uint64_t num_edges, bool weighted,
                      std::optional<std::uint64_t> raw_offset) {
  const std::uint64_t payload = raw_offset.value_or(kHeaderBytes);
  RowsLayout layout;
  layout.num_vertices = num_vertices;
  layout.num_edges = num_edges;
  layout.offsets = {kHeaderBytes, kOffsetBytes, kOffsetBytes};
  layout.neighbours = {payload, kIdBytes, kIdBytes};
  if (weighted) layout.weights = ColumnLayout{payload, kWeightBytes, kWeightBytes};
  return layout;
}

/// Returns the elements of .col: one more than there are vertices.
std::uint64_t count_offsets(const Region& col) {
  const auto announced = load_u64(col, 0);
  if (end_of(kHeaderBytes, announced, kOffsetBytes) != col.bytes()) {
    raise<DataError>(
        "{}: the header counts {} offsets, but the file of {} bytes holds {} (some converters write the number of edges there)",
        col.path(), announced, col.bytes(), (col.bytes() - kHeaderBytes) / kOffsetBytes);
  }
  if (announced == 0) raise<DataError>("{}: no offsets; there is one even without vertices", col.path());
  return announced;
}

/// Maps a file of `num_edges` elements.
std::shared_ptr<Region> map_edge_file(const std::string& path, std::uint64_t num_edges, std::uint32_t element_bytes,
                                      std::optional<std::uint64_t> raw_offset) {
  auto file = map_with_header(path, raw_offset ? 0 : kHeaderBytes);
  if (raw_offset) {
    if (end_of(*raw_offset, num_edges, element_bytes) <= file->bytes()) return file;
    raise<DataError>("{} ends at offset {}, before the last of {} elements of {} bytes from offset {} on", path, file->bytes(),
                     num_edges, element_bytes, *raw_offset);
  }
  const std::uint64_t announced = load_u64(*file, 0);
  if (announced != num_edges) {
    raise<DataError>("{}: the header counts {} elements, but the offsets end at {} (without a header, give --raw-offset-in)",
                     path, announced, num_edges);
  }
  if (end_of(kHeaderBytes, num_edges, element_bytes) != file->bytes()) {
    raise<DataError>("{}: {} elements of {} bytes, as the header says, do not make a file of {} bytes", path, num_edges,
                     element_bytes, file->bytes());
  }
  return file;
}

void write_header(OutputFile& file, std::uint64_t num_elements) {
  const std::uint64_t header[] = {num_elements, 0};
  file.write(header, sizeof(header));
}

/// Removes a file, if there is one.
void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) raise_errno<DataError>("cannot remove {}", path);
}

/// Resolves links, since OutputFile replaces their target and leaves the links. Returns a path that leads nowhere as it is.
std::string resolve(const std::string& path) {
  std::error_code nowhere;
  const auto target = std::filesystem::canonical(path, nowhere);
  return nowhere ? path : target.string();
}

}  // namespace

bool is_bel(const FileHead& head) {
  const BelPaths paths = bel_paths(head.path);
  return paths.stem.ends_with(".bel") && path_exists(paths.col) && (paths.stem != head.path || !path_exists(paths.stem));
}

std::vector<std::string> bel_files(const std::string& path) {
  const BelPaths paths = bel_paths(path);
  return {paths.col, paths.dst, paths.val};
}

Graph read_bel(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool) {
  const BelPaths paths = bel_paths(path);
  const auto col = map_with_header(paths.col, kHeaderBytes);
  const std::uint64_t num_vertices = count_offsets(*col) - 1;
  const auto num_edges = load_u64(*col, kHeaderBytes + num_vertices * kOffsetBytes);
  const RowsLayout layout = bel_layout(num_vertices, num_edges, path_exists(paths.val), options.raw_offset);
  RowsFiles files{col, map_edge_file(paths.dst, num_edges, kIdBytes, options.raw_offset), nullptr};
  if (layout.weights) files.weights = map_edge_file(paths.val, num_edges, kWeightBytes, options.raw_offset);
  return read_rows(layout, files, paths.stem, options, space, pool);
}

void write_bel(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
               ThreadPool& pool) {
  const BelPaths paths = bel_paths(path);
  check_graph_to_write(graph, paths.stem, options, space, pool);
  const RowsLayout layout = bel_layout(graph.num_vertices(), graph.num_edges(), options.weighted, options.raw_offset);
  OutputFile col(paths.col, SpecialTarget::refuse);
  OutputFile dst(paths.dst, SpecialTarget::refuse);
  OutputFile val(paths.val, SpecialTarget::refuse);  // without weights nothing is written to it, but it must be possible to
  write_header(col, layout.num_offsets());
  if (!options.raw_offset) {
    write_header(dst, layout.num_edges);
    if (options.weighted) write_header(val, layout.num_edges);
  }
  write_rows(layout, {col, dst, val}, graph.out, graph.weight_kind, paths.stem, space, pool);

  // From here on only names change. Without a .col there is no graph, so no reader takes files of two graphs for one.
  for (OutputFile* file : {&col, &dst, &val}) file->prepare();
  remove_file(resolve(paths.col));
  if (options.weighted) {
    val.commit();
  } else {
    remove_file(paths.val);
  }
  dst.commit();
  col.commit();
}

}  // namespace graphrun::io::inline GR_IDS
