// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <functional>
#include <future>
#include <vector>

#include "core/raise.hpp"
#include "graph/phase_time.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/io/readers.hpp"
#include "io/native_layout.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {

std::uint64_t header_checksum(FileHeader header, std::span<const SectionEntry> table) {
  header.checksum = 0;
  Checksum checksum;
  checksum.add(&header, sizeof(header));
  checksum.add(table.data(), table.size_bytes());
  return checksum.value();
}

std::uint32_t list_flags(const ListStatistics& lists) {
  return (lists.sorted ? kSortedLists : 0u) | kSelfLoopsKnown | (lists.self_loops != 0 ? kSelfLoops : 0u) | kDuplicatesKnown |
         (lists.duplicates != 0 ? kDuplicates : 0u);
}

}  // namespace graphrun::io::inline GR_IDS

namespace graphrun::inline GR_IDS {
namespace {

struct Section {
  io::SectionKind kind;
  std::uint32_t element_bytes;
  std::uint64_t bytes;
  std::function<void(OutputFile&, Checksum&, ThreadPool&, Progress&)> write;
};

template <class T>
Section section_of(io::SectionKind kind, const Column<T>& column, const Workspace& space) {
  const auto write = [column, &space](OutputFile& file, Checksum& checksum, ThreadPool& pair, Progress& progress) {
    constexpr std::size_t kPiece = (std::size_t{4} << 20) / sizeof(T);  // still in a cache when it is written
    for (std::size_t begin = 0; begin < column.size(); begin += kPiece) {
      const std::size_t end = std::min(begin + kPiece, column.size());
      const T* const piece = column.data() + begin;
      const std::size_t bytes = (end - begin) * sizeof(T);
      parallel_tasks(pair, 2, [&](std::size_t i) { i == 0 ? checksum.add(piece, bytes) : file.write(piece, bytes); });
      progress.advance(bytes);
      if (space.is_on_disk()) column.release(begin, end);
    }
  };
  return {kind, sizeof(T), column.bytes(), write};
}

std::vector<Section> sections_of(const Graph& graph, const Workspace& space) {
  using io::SectionKind;
  std::vector<Section> sections;
  const auto add = [&](SectionKind kind, const auto& column) { sections.push_back(section_of(kind, column, space)); };
  const auto add_rows = [&](const Csr& csr, const io::SideKinds& side) {
    add(side.offsets, csr.offsets);
    if (csr.packed.empty()) return add(side.neighbours, csr.neighbours);
    add(side.lines, csr.packed.lines);
    add(side.groups, csr.packed.groups);
  };
  add_rows(graph.out, io::kOutSide);
  if (graph.out.packed.weight_code.is_packed())
    add(SectionKind::packed_weights, graph.out.packed.weights);
  else if (graph.weight_kind != WeightKind::none)
    add(SectionKind::out_weights, graph.out.weights);
  if (graph.weight_kind == WeightKind::u64) add(SectionKind::weight_table, graph.weight_table);
  if (graph.in && !graph.symmetric) add_rows(*graph.in, io::kInSide);
  if (graph.has_records() && (graph.symmetric || graph.in)) {  // its offsets serve in_records
    auto stats = Column<WeightStats>::allocate(1);
    stats[0] = *graph.weight_stats;
    add(SectionKind::weight_stats, stats);
    add(SectionKind::out_records, graph.out.records);
    if (graph.by_target) add(SectionKind::in_records, graph.by_target->records);
  }
  if (graph.hub_table.chunk_edges != 0) add(io::SectionKind::hub_chunks, graph.hub_table.chunks);
  if (!graph.names.number_column().empty()) add(io::SectionKind::name_numbers, graph.names.number_column());
  if (graph.names.are_strings()) {
    add(io::SectionKind::name_offsets, graph.names.string_offsets());
    add(io::SectionKind::name_bytes, graph.names.string_bytes());
  }
  return sections;
}

/// Throws for a graph that the reader would refuse.
void check_consistent(const Graph& graph, const std::string& path, ThreadPool& pool, const Workspace& space) {
  const auto has_lists = [](const Csr& csr) { return csr.neighbours.size() == csr.num_edges(); };
  if (!has_lists(graph.out) || (graph.in && !has_lists(*graph.in)))
    raise<DataError>("{}: the graph to write has packed lists alone, which unpack_lists() completes", path);
  check_csr(graph.out, path + " (graph to write)", pool, space);
  check_weight_table(graph, path + " (graph to write)", pool, space);
  const auto expect_size = [&](const char* what, std::size_t size, std::size_t expected) {
    if (size != expected) raise<DataError>("{}: the graph to write has {} {} where {} belong", path, size, what, expected);
  };
  expect_size("weights", graph.out.weights.size(), graph.weight_kind == WeightKind::none ? 0 : graph.num_edges());
  if (!graph.names.number_column().empty()) expect_size("names", graph.names.number_column().size(), graph.num_vertices());
  if (graph.names.are_strings()) {
    const auto& offsets = graph.names.string_offsets();
    expect_size("offsets of names", offsets.size(), std::size_t{graph.num_vertices()} + 1);
    expect_size("bytes of names", graph.names.string_bytes().size(), offsets[graph.num_vertices()]);
  }
  if (graph.has_records()) {
    expect_size("words of records", graph.out.records.size(), 2 * graph.num_edges());
    if (graph.by_target) expect_size("words of records", graph.by_target->records.size(), 2 * graph.num_edges());
  }
  if (graph.in && !graph.symmetric) {
    check_csr(*graph.in, path + " (transpose to write)", pool, space);
    if (graph.in->num_vertices() != graph.num_vertices() || graph.in->num_edges() != graph.num_edges()) {
      raise<DataError>("{}: the transpose to write has another size than the graph", path);
    }
  }
}

/// Fills in where each section goes; returns the bytes of the whole file.
std::uint64_t place_sections(const std::vector<Section>& sections, std::vector<io::SectionEntry>& table) {
  std::uint64_t end = sizeof(io::FileHeader) + sections.size() * sizeof(io::SectionEntry);
  for (const Section& section : sections) {
    io::SectionEntry entry{};
    entry.kind = static_cast<std::uint32_t>(section.kind);
    entry.element_bytes = section.element_bytes;
    entry.offset = io::align_section(end);
    entry.bytes = section.bytes;
    entry.checksum_kind = static_cast<std::uint32_t>(io::ChecksumKind::xxh3);
    end = entry.offset + entry.bytes;
    table.push_back(entry);
  }
  return io::align_section(end);  // whole pages, so that O_DIRECT can read the last section to its end
}

}  // namespace

void write_native(const Graph& graph, const std::string& path, ThreadPool& pool, const Workspace& space,
                  const std::function<void()>& fill_records) {
  {
    const PhaseTime time("checking rows");
    check_consistent(graph, path, pool, space);
  }
  const ListStatistics lists = examine_lists(graph.out, pool, space);
  const std::vector<Section> sections = sections_of(graph, space);
  std::vector<io::SectionEntry> table;

  io::FileHeader header{};
  std::memcpy(header.magic, io::kMagic.data(), io::kMagic.size());
  const bool packs = !graph.out.packed.empty() || (graph.in && !graph.symmetric && !graph.in->packed.empty());
  header.version = packs ? io::kPackedVersion : io::kNativeVersion;
  if (const packed::WeightCode code = graph.out.packed.weight_code; code.is_packed()) {
    header.packed_weight_base = code.base;
    header.packed_weight_width = code.width;
  }
  header.header_bytes = sizeof(header);
  header.vertex_bytes = sizeof(VertexId);
  header.flags = io::list_flags(lists) | (graph.symmetric ? io::kSymmetric : 0u) | (graph.hub_first ? io::kHubFirst : 0u);
  header.weight_kind = static_cast<std::uint32_t>(graph.weight_kind);
  header.num_sections = static_cast<std::uint32_t>(sections.size());
  header.num_vertices = graph.num_vertices();
  header.num_edges = graph.num_edges();
  header.max_degree = lists.max_degree;
  header.file_bytes = place_sections(sections, table);
  header.hub_chunk_edges = graph.hub_table.chunk_edges;
  header.first_name = graph.names.first();

  const PhaseTime time("writing");
  OutputFile file(path, SpecialTarget::refuse);
  ThreadPool pair(std::min(2, pool.size()));  // one writes what the other sums up
  std::future<void> records;
  if (fill_records) {
    // Of scratch files both would read the same pages, each releasing what the other needs next.
    const bool at_once = !space.is_on_disk() && pool.size() > 1;
    records = std::async(at_once ? std::launch::async | std::launch::deferred : std::launch::deferred, fill_records);
  }
  io::pad_to(file, sizeof(header) + table.size() * sizeof(io::SectionEntry));  // known only when the checksums are
  Progress progress("container", header.file_bytes, "bytes");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (records.valid() && sections[i].kind == io::SectionKind::out_records) records.get();
    io::pad_to(file, table[i].offset);
    Checksum checksum;
    sections[i].write(file, checksum, pair, progress);
    table[i].checksum = checksum.value();
  }
  io::pad_to(file, header.file_bytes);
  header.checksum = io::header_checksum(header, table);
  file.write_at(0, &header, sizeof(header));
  file.write_at(sizeof(header), table.data(), table.size() * sizeof(io::SectionEntry));
  file.commit();
}

}  // namespace graphrun::inline GR_IDS
