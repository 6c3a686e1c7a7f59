// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/io/generate.hpp"
#include "io/archive.hpp"
#include "io/edge_columns.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/generate_internal.hpp"
#include "io/graphalytics.hpp"
#include "io/id_set.hpp"
#include "io/line_parser.hpp"
#include "io/native_layout.hpp"
#include "io/pipe_input.hpp"
#include "io/text_source.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kPlainArcBytes = 2 * sizeof(VertexId);  // in RowsBuilder
constexpr std::uint64_t kWeightBytes = sizeof(std::uint32_t);

/// Facts of a text by its first lines.
struct TextFacts {
  std::uint64_t entries = 0;
  std::uint64_t vertices = 0;
  bool weighted = false;
  bool mirrored = false;         ///< each entry is two arcs
  std::uint64_t name_bytes = 0;  ///< of one vertex in io::NameTable; 0: ids are numbers
  double wide_share = 0;         ///< share of distinct weights, where some are beyond 32 bits
};

std::uint64_t rows_bytes(const LoadEstimate& graph, bool weighted) {
  return (graph.vertices + 1) * sizeof(EdgeId) + graph.arcs * (sizeof(VertexId) + (weighted ? kWeightBytes : 0));
}

/// Adds the peak of RowsBuilder: the stream beside the arcs, then the arcs beside the rows.
void add_building(LoadEstimate& graph, std::uint64_t stream_bytes) {
  const std::uint64_t arcs = graph.arcs * (kPlainArcBytes + (graph.weighted ? kWeightBytes : 0));
  graph.held_bytes = rows_bytes(graph, graph.weighted);
  graph.peak_bytes = std::max({graph.peak_bytes, stream_bytes + arcs, arcs + graph.held_bytes});
}

void add_transpose(LoadEstimate& graph) {
  const std::uint64_t rows = rows_bytes(graph, false);
  graph.peak_bytes = std::max(graph.peak_bytes, graph.held_bytes + graph.arcs * kPlainArcBytes + rows);
  graph.held_bytes += rows;
}

bool is_edge_list(FileFormat format) { return format == FileFormat::edge_list || format == FileFormat::csv; }

/// Returns the runs of digits in the line at `p`: ids come first, with any separator.
std::vector<std::uint64_t> numbers_of_line(const char* p, const char* end) {
  const char* line_end = std::find(p, end, '\n');
  std::vector<std::uint64_t> numbers;
  while ((p = std::find_if(p, line_end, [](char c) { return c >= '0' && c <= '9'; })) != line_end) {
    std::uint64_t number = 0;
    const auto [rest, status] = std::from_chars(p, line_end, number);
    numbers.push_back(status == std::errc{} ? number : 0);
    p = rest;
  }
  return numbers;
}

/// Examines the columns of an edge list. The number of vertices with strings as names is a guess.
void look_at_columns(const std::string& path, FileFormat format, double mean_bytes, const LoadOptions& options,
                     TextFacts& facts) {
  constexpr std::uint64_t kEntriesPerName = 4;
  constexpr std::uint64_t kTableBytes = 40;
  io::NameTable names;
  const io::ReadOptions reading{
      .columns = options.columns, .names = options.ids == IdPolicy::keep ? nullptr : &names, .ids = options.ids};
  const io::EdgeColumns columns = io::find_columns(path, format == FileFormat::csv, reading);
  facts.weighted = columns.weight.has_value();
  if (!columns.strings) return;
  facts.vertices = facts.entries / kEntriesPerName;
  facts.name_bytes = kTableBytes + static_cast<std::uint64_t>(mean_bytes);  // two names in a line, each up to twice
}

/// Estimates by the mean length of the first lines. The largest id of some thousand lines is close to the largest of all.
TextFacts look_at_text(const std::string& path, FileFormat format, std::uint64_t text_bytes, const LoadOptions& options) {
  constexpr std::size_t kHeadBytes = std::size_t{1} << 18;
  const std::string head = io::read_head(path, kHeadBytes);
  const char* end = head.data() + head.size();
  TextFacts facts;
  std::uint64_t lines = 0;
  std::uint64_t numbers_in_lines = 0;
  std::unordered_set<std::uint64_t> weights;
  const char* first = nullptr;
  for (const char* p = head.data(); p < end; p = io::next_line(p, end)) {
    if (io::at_line_end(p, end) || *p == '#' || *p == '%') continue;
    if (*p == 'c' && format == FileFormat::dimacs) continue;
    const std::vector<std::uint64_t> numbers = numbers_of_line(p, end);
    if (format == FileFormat::metis) {  // "VERTICES EDGES [FORMAT ...]"
      if (numbers.size() < 2) return facts;
      // A damaged header may announce anything; every vertex and every edge takes a byte.
      return {std::min(numbers[1], text_bytes), std::min(numbers[0], text_bytes), numbers.size() > 2 && numbers[2] % 10 == 1,
              true};
    }
    const std::size_t ids = *p == 'p' ? 1 : 2;  // DIMACS has the number of arcs after the vertices'
    for (std::size_t i = 0; i < std::min(ids, numbers.size()); ++i) facts.vertices = std::max(facts.vertices, numbers[i] + 1);
    if (numbers.size() > 2) weights.insert(numbers[2]);
    if (first == nullptr) first = p;
    ++lines;
    numbers_in_lines += numbers.size();
  }
  if (lines == 0) return facts;
  const double mean_bytes = static_cast<double>(end - first) / static_cast<double>(lines);
  facts.entries = static_cast<std::uint64_t>(static_cast<double>(text_bytes) / mean_bytes);
  facts.weighted = 2 * numbers_in_lines > 5 * lines;
  const bool wide = std::ranges::any_of(weights, [](std::uint64_t w) { return w > std::numeric_limits<std::uint32_t>::max(); });
  if (wide && !options.float_weights && options.weights != WeightUse::unread)
    facts.wide_share = static_cast<double>(weights.size()) / static_cast<double>(lines);
  const std::string_view banner = std::string_view(head).substr(0, head.find('\n'));
  facts.mirrored = format == FileFormat::matrix_market && banner.find("symmetric") != banner.npos;
  if (is_edge_list(format)) look_at_columns(path, format, mean_bytes, options, facts);
  return facts;
}

/// Returns a guess for compressed text, except for gzip: its last bytes hold the size of the last member, modulo 2^32.
std::uint64_t text_bytes_of(const std::string& path, std::uint64_t file_bytes) {
  constexpr std::uint64_t kShrinksTo = 4;  // a quarter
  if (const auto stored = io::archived_bytes(path)) return *stored;
  const char* compression = io::compression_of_file(path);
  if (compression == nullptr) return file_bytes;
  std::uint32_t said = 0;
  const bool small = file_bytes < (std::uint64_t{1} << 32) / kShrinksTo;
  if (std::string_view(compression) == "gzip" && small && !io::is_pipe(path)) {
    std::ifstream file(path, std::ios::binary);
    if (file.seekg(-std::streamoff{sizeof(said)}, std::ios::end)) file.read(reinterpret_cast<char*>(&said), sizeof(said));
  }
  return said >= file_bytes ? said : kShrinksTo * file_bytes;
}

std::uint64_t vertices_of(const TextFacts& facts, FileFormat format, IdPolicy ids) {
  if (!is_edge_list(format) || ids == IdPolicy::keep) return std::min(facts.vertices, io::most_vertices(facts.entries));
  const std::uint64_t ends = 2 * facts.entries;
  return ends < facts.vertices - facts.vertices / 2 ? ends : facts.vertices;  // renumbered where fewer than half of the ids occur
}

/// Adds the memory of encoding: the weights in 8 bytes, a sorted copy, and the table of distinct ones.
void add_weight_table(LoadEstimate& graph, const TextFacts& facts, std::uint64_t entry_bytes) {
  graph.weight_table_bytes =
      static_cast<std::uint64_t>(facts.wide_share * static_cast<double>(facts.entries)) * sizeof(std::uint64_t);
  if (graph.weight_table_bytes == 0) return;
  const std::uint64_t wide = facts.entries * sizeof(std::uint64_t);
  graph.held_bytes += graph.weight_table_bytes;
  graph.peak_bytes = std::max(graph.peak_bytes, entry_bytes - facts.entries * kWeightBytes + 2 * wide) + graph.weight_table_bytes;
}

LoadEstimate estimate_text(const std::string& path, FileFormat format, std::uint64_t file_bytes, const LoadOptions& options) {
  const std::uint64_t text_bytes = text_bytes_of(path, file_bytes);
  const TextFacts facts = look_at_text(path, format, text_bytes, options);
  LoadEstimate graph;
  graph.vertices = vertices_of(facts, format, options.ids);
  if (is_edge_list(format) && options.num_vertices) graph.vertices = std::min(*options.num_vertices, io::kMostNumVertices);
  graph.weighted = facts.weighted;
  graph.directed = !facts.mirrored && !options.undirected;
  graph.arcs = graph.directed ? facts.entries : 2 * facts.entries;
  const std::uint64_t entry_bytes = facts.entries * (2 * sizeof(VertexId) + (facts.weighted ? kWeightBytes : 0));
  graph.peak_bytes = entry_bytes + (text_bytes != file_bytes ? text_bytes : 0);
  if (is_edge_list(format) && options.ids != IdPolicy::keep && facts.name_bytes == 0) {
    graph.peak_bytes = std::max(graph.peak_bytes, entry_bytes + io::IdSet::bytes_for(facts.vertices, facts.entries));
  }
  add_building(graph, entry_bytes);
  if (facts.weighted) add_weight_table(graph, facts, entry_bytes);
  graph.peak_bytes += graph.vertices * facts.name_bytes;
  graph.held_bytes += graph.vertices * facts.name_bytes;
  return graph;
}

/// Estimates by the edges, unless the properties announce counts.
LoadEstimate estimate_graphalytics(const std::string& path, const LoadOptions& options) {
  constexpr std::uint64_t kTableBytes = 40;  // of a name in io::NameTable
  const io::GraphalyticsFacts facts = io::read_graphalytics_facts(path);
  std::error_code failure;
  const std::uint64_t edge_bytes = std::filesystem::file_size(facts.edge_file, failure);
  const std::uint64_t vertex_bytes = std::filesystem::file_size(facts.vertex_file, failure);
  if (failure) return {};
  constexpr std::uint64_t kShortestEdge = 4;  // bytes
  constexpr std::uint64_t kShortestVertex = 2;
  const std::uint64_t entries = std::min(facts.edges.value_or(edge_bytes), edge_bytes / kShortestEdge + 1);
  LoadEstimate graph;
  graph.vertices = std::min(facts.vertices.value_or(vertex_bytes), vertex_bytes / kShortestVertex + 1);
  graph.weighted = facts.weight.has_value();
  graph.directed = facts.directed && !options.undirected;
  graph.arcs = graph.directed ? entries : 2 * entries;
  add_building(graph, entries * (2 * sizeof(VertexId) + (graph.weighted ? kWeightBytes : 0)));
  graph.peak_bytes += graph.vertices * kTableBytes;
  graph.held_bytes += graph.vertices * sizeof(std::uint64_t);
  return graph;
}

/// Reads the sections after the header of `container`.
std::vector<io::SectionEntry> sections_of(std::istream& container, const io::FileHeader& header) {
  std::vector<io::SectionEntry> sections;
  io::SectionEntry entry{};
  while (sections.size() < std::min(header.num_sections, io::kMostSections) &&
         container.read(reinterpret_cast<char*>(&entry), sizeof(entry))) {
    sections.push_back(entry);
  }
  return sections;
}

/// Samples lengths of lists by reads of the offsets of `container`.
ListLengths sample_file(std::istream& container, const io::FileHeader& header, const std::vector<io::SectionEntry>& sections) {
  const io::SectionEntry* offsets = io::find_section(sections, io::SectionKind::out_offsets);
  if (offsets == nullptr) return {};
  return sample_lengths(header.num_vertices, header.num_edges, [&](std::uint64_t v) -> std::uint64_t {
    EdgeId ends[2] = {};
    container.clear();
    container.seekg(static_cast<std::streamoff>(offsets->offset + v * sizeof(EdgeId)));
    container.read(reinterpret_cast<char*>(ends), sizeof(ends));
    return container && ends[1] > ends[0] ? ends[1] - ends[0] : 0;  // of a file that is damaged
  });
}

LoadEstimate estimate_container(const std::string& path, std::uint64_t file_bytes, const LoadOptions& options, bool sample) {
  io::FileHeader header{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header))) return {};
  constexpr std::uint64_t kNarrowest = 4;
  LoadEstimate graph;
  const bool is_packed = header.version == io::kPackedVersion;
  if ((!is_packed && header.version != io::kNativeVersion) || header.header_bytes != sizeof(header)) return {};
  if (header.file_bytes != file_bytes || header.num_sections > io::kMostSections) return {};
  const std::uint64_t most_edges = is_packed ? packed::kMostEdges * file_bytes : file_bytes / kNarrowest;
  if (header.num_vertices > file_bytes / sizeof(EdgeId) || header.num_edges > most_edges) return {};
  graph.vertices = header.num_vertices;
  graph.arcs = header.num_edges;
  graph.directed = (header.flags & io::kSymmetric) == 0;
  graph.weighted = header.weight_kind != static_cast<std::uint32_t>(WeightKind::none);
  const std::vector<io::SectionEntry> stored = sections_of(file, header);
  const auto ends_behind = [&](const io::SectionEntry& entry) {
    return entry.offset > file_bytes || entry.bytes > file_bytes - entry.offset;
  };
  if (std::ranges::any_of(stored, ends_behind)) return {};
  if (sample) graph.lengths = sample_file(file, header, stored);
  const bool mirrors = options.undirected && graph.directed;
  const bool orders = options.sort_lists || options.hubs_first || options.relabel != VertexOrder::as_read;
  if (!mirrors && !options.drop_self_loops && merge_rule(options) == MergeRule::keep && !orders) {
    graph.mapped = true;
    graph.file_bytes = file_bytes;
    const auto bytes_of = [&](io::SectionKind kind) {
      const io::SectionEntry* found = io::find_section(stored, kind);
      return found != nullptr ? std::optional(found->bytes) : std::nullopt;
    };
    graph.weight_table_bytes = bytes_of(io::SectionKind::weight_table).value_or(0);
    const auto words_if = [&](io::SectionKind kind, std::uint64_t words) { return bytes_of(kind) ? words : 0; };
    const bool both = words_if(io::SectionKind::in_offsets, 1) != 0;
    graph.records = words_if(io::SectionKind::out_records, 1) != 0;
    graph.reversed_records = words_if(io::SectionKind::in_records, 1) != 0;
    if (header.vertex_bytes < sizeof(VertexId)) {  // they are widened
      const std::uint64_t words = words_if(io::SectionKind::out_neighbours, 1) + words_if(io::SectionKind::in_neighbours, 1) +
                                  words_if(io::SectionKind::out_records, 2) + words_if(io::SectionKind::in_records, 2);
      graph.held_bytes = graph.peak_bytes = header.num_edges * sizeof(VertexId) * words;
    }
    if (is_packed) {
      using enum io::SectionKind;
      const auto weights = bytes_of(packed_weights);
      graph.packed_bytes = bytes_of(out_lines).value_or(0) + bytes_of(in_lines).value_or(0) + weights.value_or(0);
      graph.unpacked_bytes = header.num_edges * (sizeof(VertexId) * (both ? 2 : 1) + (weights ? sizeof(std::uint32_t) : 0));
      if (options.check || !options.keep_packed) graph.peak_bytes += graph.unpacked_bytes;
      if (!options.keep_packed) graph.held_bytes += graph.unpacked_bytes;
    }
    if (options.need_transpose && graph.directed && !both) add_transpose(graph);
    return graph;
  }
  if (mirrors) graph.arcs *= 2;
  graph.directed = graph.directed && !mirrors;
  add_building(graph, 0);
  return graph;
}

LoadEstimate estimate_file(const std::string& path, std::uint64_t file_bytes, const LoadOptions& options, bool sample) {
  const FileFormat id = options.format ? *options.format : sniff_format(path, !options.columns.empty());
  if (io::format_of(id).open_entries == nullptr && io::is_pipe(path)) return {};  // reading refuses it
  if (id == FileFormat::native) return estimate_container(path, file_bytes, options, sample);
  if (id == FileFormat::graphalytics) return estimate_graphalytics(path, options);
  if (io::format_of(id).open_entries != nullptr) return estimate_text(path, id, file_bytes, options);
  constexpr std::uint64_t kMeanDegree = 8;
  LoadEstimate graph;
  graph.directed = !options.undirected;
  graph.arcs = file_bytes / sizeof(VertexId);
  graph.vertices = graph.arcs / kMeanDegree;
  graph.peak_bytes = graph.held_bytes = file_bytes;
  if (options.undirected) graph.arcs *= 2, add_building(graph, file_bytes);
  return graph;
}

}  // namespace

ListLengths sample_lengths(std::uint64_t vertices, std::uint64_t arcs,
                           const std::function<std::uint64_t(std::uint64_t)>& degree_of) {
  constexpr std::uint64_t kSamples = 128;  // each may be a read of a disk
  constexpr std::uint64_t kFirst = 32 / sizeof(VertexId);
  if (vertices == 0 || arcs == 0) return {};
  std::uint64_t short_lists = 0, first_edges = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t degree = degree_of(splitmix64(i) % vertices);
    short_lists += 2 * degree * vertices < arcs ? 1 : 0;
    first_edges += std::min(degree, kFirst);
  }
  return {static_cast<double>(short_lists) / kSamples, static_cast<double>(first_edges) / kSamples};
}

void require_memory(const std::string& spec, std::uint64_t needed, std::optional<std::uint64_t> allowed,
                    const std::string& advice) {
  const auto most = allowed ? allowed : available_memory();
  if (!most) return;
  log::debug(fmt::format("estimated to take {} of memory, of {}", format_bytes(needed), format_bytes(*most)));
  if (needed <= *most) return;
  raise<UnavailableError>("{} takes about {} of memory, and {} {}: {}", spec, format_bytes(needed), format_bytes(*most),
                          allowed ? "are allowed" : "are free", advice);
}

LoadEstimate estimate_load(const std::string& spec, const LoadOptions& options, bool sample) {
  const std::string path = io::input_path(spec);
  std::error_code failure;
  LoadEstimate graph;
  const bool pipe = io::is_pipe(path);
  const std::uint64_t file_bytes =
      pipe ? io::read_pipe(path)->bytes() : std::filesystem::file_size(io::split_member(path).file, failure);
  if (failure) {
    if (!is_generator(spec)) return graph;
    const io::GeneratedSize size = io::generated_size(spec);
    graph.vertices = size.vertices;
    graph.arcs = 2 * size.edges;
    graph.directed = false;
    add_building(graph, size.edges * 2 * sizeof(VertexId));
    return graph;
  }
  try {
    graph = estimate_file(path, file_bytes, options, sample);
  } catch (const DataError&) {
    return {};
  }
  if (graph.vertices == 0 && graph.arcs == 0) return {};
  if (options.need_transpose && graph.directed && !graph.mapped) add_transpose(graph);
  return graph;
}

}  // namespace graphrun::inline GR_IDS
