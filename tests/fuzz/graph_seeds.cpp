// SPDX-License-Identifier: Apache-2.0
// Seeds of the formats that the library writes: a few tiny graphs in all the ways that a format can hold them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fuzz/oracle.hpp"
#include "fuzz/seeds.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/rows.hpp"
#include "io/formats.hpp"
#include "support/arcs.hpp"

namespace graphrun::fuzz {
namespace {

namespace fs = std::filesystem;
using test::Arc;
using test::directed_graph;
using test::undirected_graph;
using test::with_wide_weights;

std::vector<Arc> random_arcs(VertexId n, std::size_t count) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < count; ++i) {
    arcs.emplace_back(static_cast<VertexId>(splitmix64(1, i, 0) % n), static_cast<VertexId>(splitmix64(1, i, 1) % n));
  }
  return arcs;
}

std::vector<Graph> tiny_graphs() {
  return {undirected_graph("empty", 0, {}),
          undirected_graph("alone", 1, {}),
          undirected_graph("loop", 1, {{0, 0}}),
          undirected_graph("path", 4, {{0, 1}, {1, 2}, {2, 3}}),
          undirected_graph("clique", 5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}),
          directed_graph("two_lists", 3, {{0, 2}, {0, 1}, {2, 2}}),
          directed_graph("parallel", 2, {{1, 0}, {1, 1}, {1, 0}, {1, 0}}),
          directed_graph("random", 20, random_arcs(20, 50))};
}

/// With whole numbers as weights, the same in both directions, which every format has.
Graph weighted(const Graph& graph, WeightKind kind) {
  return test::with_weights(graph, kind, [kind](VertexId u, VertexId v, EdgeId) {
    const std::uint32_t value = 1 + (u + v) % 100;
    return kind == WeightKind::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : value;
  });
}

std::vector<Graph> graphs_in(const io::OutputFormat& format) {
  std::vector<Graph> graphs;
  for (const Graph& graph : tiny_graphs()) {
    if (format.weights != io::Weights::always) graphs.push_back(graph);
    if (format.weights == io::Weights::never) continue;
    for (const WeightKind kind : {WeightKind::u32, WeightKind::f32}) {
      graphs.push_back(weighted(graph, kind));
      graphs.back().name += kind == WeightKind::u32 ? "_u32" : "_f32";
    }
  }
  return graphs;
}

/// What only the container keeps: labels, cut lists, hubs first, a directed graph without its transpose, records, packed lists.
std::vector<Graph> graphs_of_container() {
  Graph labelled = directed_graph("labels", 4, {{0, 1}, {2, 3}});
  auto names = Column<std::uint64_t>::allocate(4);
  for (std::uint64_t v = 0; v < 4; ++v) names[v] = 1000 * v;
  labelled.names = VertexNames::numbers(names);

  Graph from_one = directed_graph("from_one", 2, {{0, 1}});
  from_one.names = VertexNames::consecutive(1);

  Graph spelled = directed_graph("spelled", 2, {{0, 1}});
  const std::string_view spelling = "abc";
  auto offsets = Column<std::uint64_t>::allocate(3);
  offsets[1] = 1;
  offsets[2] = spelling.size();
  auto characters = Column<char>::allocate(spelling.size());
  std::copy(spelling.begin(), spelling.end(), characters.data());
  spelled.names = VertexNames::strings(offsets, characters);

  constexpr EdgeId kChunkEdges = 2;
  Graph balanced = directed_graph("balanced", 9, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {3, 1}, {3, 2}, {3, 8}, {8, 0}});
  const std::vector<HubChunk> chunks = cut_hubs(balanced.out, kChunkEdges, pool());
  balanced.hub_table = {kChunkEdges, Column<HubChunk>::allocate(chunks.size())};
  std::copy(chunks.begin(), chunks.end(), balanced.hub_table.chunks.data());

  Graph hubs_first = undirected_graph("hubs_first", 6, {{0, 1}, {0, 5}, {1, 5}, {2, 5}, {3, 5}});
  put_hubs_first(hubs_first, pool());

  Graph one_way = directed_graph("one_way", 3, {{0, 1}, {1, 2}});
  one_way.in.reset();

  Graph records = weighted(directed_graph("records", 4, {{0, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 3}}), WeightKind::u32);
  Graph float_records = weighted(undirected_graph("float_records", 4, {{0, 1}, {0, 2}, {1, 2}}), WeightKind::f32);
  for (Graph* graph : {&records, &float_records}) add_records(*graph, pool());

  Graph packed = weighted(directed_graph("packed", 20, random_arcs(20, 50)), WeightKind::u32);
  packed.out.packed = pack_lists(packed.out, packed.weight_kind, pool());
  packed.in->packed = pack_lists(*packed.in, packed.weight_kind, pool());
  Graph wide = with_wide_weights(directed_graph("wide", 3, {{0, 1}, {1, 2}, {2, 0}}),
                                 [](VertexId, VertexId, EdgeId e) { return (std::uint64_t{1} << 60) + e % 2; });
  add_records(wide, pool());
  return {labelled, from_one, spelled, balanced, hubs_first, one_way, records, float_records, packed, wide};
}

std::string take_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  file.close();
  fs::remove(path);
  return bytes;
}

/// The files that were written as `path`, packed.
std::string take_packed(std::string_view target, const std::string& path) {
  if (target == "grf") return pack_container(take_file(path));
  if (target != "bel") return take_file(path);
  std::string bytes = take_file(path + ".col").append(kCut).append(take_file(path + ".dst"));
  return fs::exists(path + ".val") ? bytes.append(kCut).append(take_file(path + ".val")) : bytes;
}

Seed write_seed(std::string_view target, const io::OutputFormat& format, const Graph& graph) {
  const std::string path = directory() + "/seed." + std::string(format.name);
  io::WriteOptions options;
  options.weighted = format.weights != io::Weights::never && graph.weight_kind != WeightKind::none;
  format.write(graph, path, options, {}, pool());
  return {fmt::format("{}.{}", graph.name, format.name), take_packed(target, path)};
}

/// What the reader `target` takes: its own name, and that with weights.
bool is_written_for(std::string_view target, std::string_view format) {
  return format == target || (target == "sg" && format == "wsg") || (target == "bcsr" && format == "bwcsr");
}

}  // namespace

std::vector<Seed> graph_seeds(std::string_view target) {
  std::vector<Seed> seeds;
  for (const io::OutputFormat& format : io::output_formats()) {
    if (!is_written_for(target, format.name)) continue;
    for (const Graph& graph : graphs_in(format)) {
      if ((target == "el" || target == "csv") && graph.num_edges() == 0) continue;  // a list without a line is refused
      seeds.push_back(write_seed(target, format, graph));
    }
    if (format.name != "grf") continue;
    for (const Graph& graph : graphs_of_container()) seeds.push_back(write_seed(target, format, graph));
  }
  return seeds;
}

}  // namespace graphrun::fuzz
