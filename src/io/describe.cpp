#include "graphrun/io/describe.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "graphrun/core/bytes.hpp"
#include "graphrun/graph/statistics.hpp"

namespace graphrun {
namespace {

const char* name_of(WeightKind kind) {
  constexpr std::array kNames = {"none", "u32", "f32"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const VertexNames& names) {
  if (names.are_consecutive()) return fmt::format("numbers from {} on", names.first());
  return names.are_strings() ? "strings of the input" : "numbers of the input";
}

std::string degree_histogram(const ListStatistics& lists, VertexId n) {
  constexpr std::size_t kWidest = 40;
  std::uint64_t most = 1;
  std::size_t last = 0;
  for (std::size_t b = 0; b < lists.lists_by_degree_bits.size(); ++b) {
    most = std::max(most, lists.lists_by_degree_bits[b]);
    if (lists.lists_by_degree_bits[b] != 0) last = b;
  }
  std::string text = fmt::format("\n{:<24}{:>14}{:>9}\n", "out-degree", "vertices", "share");
  for (std::size_t b = 0; b <= last; ++b) {
    const std::uint64_t count = lists.lists_by_degree_bits[b];
    const std::uint64_t low = b == 0 ? 0 : std::uint64_t{1} << (b - 1);
    const std::uint64_t high = b == 0 ? 0 : low + (low - 1);
    const std::string range = low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
    const auto bar =
        static_cast<std::size_t>(static_cast<double>(kWidest) * static_cast<double>(count) / static_cast<double>(most));
    text += fmt::format("{:<24}{:>14}{:>7.2f} %  {:#<{}}\n", range, count,
                        100.0 * static_cast<double>(count) / static_cast<double>(n), "", bar);
  }
  return text;
}

/// Per algorithm the bytes that an edge access can touch, and for each backend where they must fit.
std::string backend_needs(const Graph& graph) {
  const std::uint64_t n = graph.num_vertices();
  const std::uint64_t sides = graph.symmetric ? 1 : 2;
  const std::uint64_t ids = graph.num_edges() * sizeof(VertexId);
  const std::uint64_t edges = sides * ids;
  const std::uint64_t weights = graph.num_edges() * sizeof(std::uint32_t);
  constexpr std::uint64_t kStatePerVertex = 32;  // the largest of the algorithms', frontiers included
  const std::uint64_t offsets = sides * (n + 1) * sizeof(EdgeId);
  const std::uint64_t state = n * kStatePerVertex;
  struct Need {
    std::string_view backend;
    std::uint64_t fast;
    std::uint64_t slow;
    std::string_view where;
  };
  const std::array needs = {
      Need{"incore", offsets + state + edges, 0, "everything beside the processor"},
      Need{"emogi", offsets + state, edges, "edges in host memory (GPU) or in the mapped file (CPU)"},
      Need{"subway", offsets + state + n * (2 * sizeof(EdgeId) + sizeof(VertexId)), edges,
           "and a buffer of --cache for subgraphs"},
      Need{"bam", offsets + state, edges, "and as much fast memory as --cache allows; edges in the file"},
      Need{"uvm", offsets + state + edges, edges,
           "managed memory, all of it on the device in the end (GPU); as much as --cache allows (CPU)"},
  };
  std::string text =
      fmt::format("\nneeds, estimated: offsets {}, state {}, edges {}{}, and {} of weights for sssp\n\n{:<10}{:>14}{:>14}  {}\n",
                  format_bytes(offsets), format_bytes(state), format_bytes(edges), sides == 2 ? " (both directions)" : "",
                  format_bytes(weights), "backend", "fast memory", "behind it", "where");
  for (const Need& need : needs) {
    text += fmt::format("{:<10}{:>14}{:>14}  {}\n", need.backend, format_bytes(need.fast), format_bytes(need.slow), need.where);
  }
  return text;
}

}  // namespace

std::string describe_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool) {
  LoadOptions how = options;
  how.check = true;  // statistics of damaged lists mean nothing
  const Loaded loaded = load_graph(spec, how, pool);
  const Graph& graph = loaded.graph;
  const VertexId n = graph.num_vertices();
  const ListStatistics lists = examine_lists(graph.out, pool);
  const auto line = [](std::string_view what, const auto& value) { return fmt::format("{:<16}{}\n", what, value); };
  std::string text =
      line("name", graph.name) + line("format", loaded.format) + line("vertices", n) + line("edges", graph.num_edges());
  text += line("directed", graph.symmetric ? "no (every edge is stored both ways)" : "yes");
  text += line("transpose", graph.symmetric ? "itself" : graph.in ? "stored" : "none");
  text += line("weights", name_of(graph.weight_kind));
  text += line("list order", graph.hub_first ? "hubs first" : lists.sorted ? "ascending" : "as stored");
  text += line("self loops", lists.self_loops) + line("duplicates", lists.duplicates);
  text += line("isolated", count_isolated(graph, pool));
  text += line("names", describe(graph.names));
  if (graph.hub_table.chunk_edges != 0) {
    text += line("hub chunks", fmt::format("{} of {} edges", graph.hub_table.chunks.size(), graph.hub_table.chunk_edges));
  }
  if (n == 0) return text;
  text +=
      line("max degree", fmt::format("{} (vertex {})", lists.max_degree, graph.names.text(max_degree_vertex(graph.out, pool))));
  text += line("mean degree", fmt::format("{:.2f}", static_cast<double>(graph.num_edges()) / static_cast<double>(n)));
  return text + degree_histogram(lists, n) + backend_needs(graph);
}

std::string check_graph_file(const std::string& path, const LoadOptions& options, ThreadPool& pool) {
  LoadOptions how = options;
  how.check = true;
  const Loaded loaded = load_graph(path, how, pool);
  return fmt::format("{}: sound ({}, {} vertices, {} edges)\n", path, loaded.format, loaded.graph.num_vertices(),
                     loaded.graph.num_edges());
}

}  // namespace graphrun
