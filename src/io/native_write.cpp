#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/io/readers.hpp"
#include "io/native_layout.hpp"

namespace graphrun {
namespace {

void pad_to(OutputFile& file, std::uint64_t offset) {
  const std::vector<char> zeros(offset - file.written());
  file.write(zeros.data(), zeros.size());
}

struct Section {
  io::SectionKind kind;
  std::uint32_t element_bytes;
  const void* data;
  std::uint64_t bytes;
};

template <class T>
Section section_of(io::SectionKind kind, const Column<T>& column) {
  return {kind, sizeof(T), column.data(), column.bytes()};
}

std::vector<Section> sections_of(const Graph& graph) {
  std::vector<Section> sections{section_of(io::SectionKind::out_offsets, graph.out.offsets),
                                section_of(io::SectionKind::out_neighbours, graph.out.neighbours)};
  if (graph.weight_kind != WeightKind::none) sections.push_back(section_of(io::SectionKind::out_weights, graph.out.weights));
  if (graph.in && !graph.symmetric) {
    sections.push_back(section_of(io::SectionKind::in_offsets, graph.in->offsets));
    sections.push_back(section_of(io::SectionKind::in_neighbours, graph.in->neighbours));
  }
  return sections;
}

/// A file that its own reader would refuse must not come into being.
void check_consistent(const Graph& graph, const std::string& path, ThreadPool& pool) {
  check_csr(graph.out, path + " (graph to write)", pool);
  const std::size_t expected = graph.weight_kind == WeightKind::none ? 0 : graph.num_edges();
  if (graph.out.weights.size() != expected) {
    throw DataError(
        fmt::format("{}: the graph to write has {} weights where {} belong", path, graph.out.weights.size(), expected));
  }
  if (graph.in && !graph.symmetric) {
    check_csr(*graph.in, path + " (transpose to write)", pool);
    if (graph.in->num_vertices() != graph.num_vertices() || graph.in->num_edges() != graph.num_edges()) {
      throw DataError(fmt::format("{}: the transpose to write has another size than the graph", path));
    }
  }
}

}  // namespace

void write_native(const Graph& graph, const std::string& path) {
  ThreadPool pool;
  check_consistent(graph, path, pool);
  const io::ListFacts facts = io::examine_lists(graph.out, pool);
  const std::vector<Section> sections = sections_of(graph);

  io::FileHeader header{};
  std::memcpy(header.magic, io::kMagic.data(), io::kMagic.size());
  header.version = io::kNativeVersion;
  header.header_bytes = sizeof(header);
  header.vertex_bytes = sizeof(VertexId);
  header.flags = facts.flags | (graph.symmetric ? io::kSymmetric : 0u);
  header.weight_kind = static_cast<std::uint32_t>(graph.weight_kind);
  header.num_sections = static_cast<std::uint32_t>(sections.size());
  header.num_vertices = graph.num_vertices();
  header.num_edges = graph.num_edges();
  header.max_degree = facts.max_degree;

  std::vector<io::SectionEntry> table;
  std::uint64_t end = sizeof(header) + sections.size() * sizeof(io::SectionEntry);
  for (const Section& section : sections) {
    io::SectionEntry entry{};
    entry.kind = static_cast<std::uint32_t>(section.kind);
    entry.element_bytes = section.element_bytes;
    entry.offset = io::align_section(end);
    entry.bytes = section.bytes;
    end = entry.offset + entry.bytes;
    table.push_back(entry);
  }
  // Whole pages, so that O_DIRECT can read the last section to its end.
  header.file_bytes = io::align_section(end);

  OutputFile file(path, SpecialTarget::refuse);
  file.write(&header, sizeof(header));
  file.write(table.data(), table.size() * sizeof(io::SectionEntry));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    pad_to(file, table[i].offset);
    file.write(sections[i].data, sections[i].bytes);
  }
  pad_to(file, header.file_bytes);
  file.commit();
}

}  // namespace graphrun
