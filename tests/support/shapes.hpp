// SPDX-License-Identifier: Apache-2.0
// Small graphs at the edges of the code, by name, for suites that are parameterised over them.
//
// Lists are in the order given here, not always ascending. Directed shapes carry their transpose. None has weights: see
// with_weights() and assign_weights().
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "graphrun/core/random.hpp"
#include "support/arcs.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {

/// Zachary's karate club (Journal of Anthropological Research, 1977), 0-based: 34 members, 78 friendships.
inline Graph karate() {
  return undirected_graph(
      "karate", 34,
      {{0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},  {0, 11},  {0, 12},  {0, 13},
       {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},   {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},
       {2, 3},   {2, 7},   {2, 8},   {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
       {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},  {13, 33}, {14, 32}, {14, 33},
       {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29},
       {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
       {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}});
}

inline Graph path_graph(VertexId n) {
  std::vector<Arc> edges;
  for (VertexId v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
  return undirected_graph("path", n, edges);
}

/// Vertex `centre` joined to every other.
inline Graph star_graph(VertexId n, VertexId centre) {
  std::vector<Arc> edges;
  for (VertexId v = 0; v < n; ++v) {
    if (v != centre) edges.emplace_back(centre, v);
  }
  return undirected_graph("star", n, edges);
}

inline Graph complete_graph(VertexId n) {
  std::vector<Arc> edges;
  for (VertexId u = 0; u < n; ++u) {
    for (VertexId v = u + 1; v < n; ++v) edges.emplace_back(u, v);
  }
  return undirected_graph("complete", n, edges);
}

/// A path on which every vertex has a self loop, the first two; the last vertex has nothing else.
inline Graph loops_graph() {
  std::vector<Arc> edges{{0, 0}};
  for (VertexId v = 0; v < 20; ++v) edges.emplace_back(v, v);
  for (VertexId v = 1; v < 19; ++v) edges.emplace_back(v - 1, v);
  return undirected_graph("self_loops", 20, edges);
}

/// Arcs v -> v+1 and v -> 2v, v mod 5 + 1 times each.
inline Graph parallel_graph() {
  constexpr VertexId n = 50;
  std::vector<Arc> arcs;
  for (VertexId v = 0; v < n; ++v) {
    for (VertexId copy = 0; copy <= v % 5; ++copy) {
      arcs.emplace_back(v, (v + 1) % n);
      arcs.emplace_back(v, 2 * v % n);
    }
  }
  return directed_graph("parallel_arcs", n, arcs);
}

/// A complete graph with each edge two or three times, in no order, and a loop or two at each vertex; beside it a triangle and a
/// vertex alone.
inline Graph parallel_edges_graph() {
  constexpr VertexId n = 12;
  std::vector<Arc> edges;
  for (VertexId copy = 0; copy < 3; ++copy) {
    for (VertexId u = n; u-- > 0;) {
      for (VertexId v = u; v < n; ++v) {
        if (copy < 2 || (u + v) % 2 == 0) edges.emplace_back(v, u);
      }
    }
    edges.insert(edges.end(), {{n, n + 1}, {n + 2, n + 1}, {n, n + 2}});
  }
  return undirected_graph("parallel_edges", n + 4, edges);
}

/// A hub of 5000 neighbours among vertices of a ring, each with two: more than any chunk, cache page or warp takes at once.
inline Graph hub_graph() {
  constexpr VertexId n = 5001;
  constexpr VertexId hub = 2500;
  std::vector<Arc> edges;
  for (VertexId v = 0; v < n; ++v) {
    edges.emplace_back(v, (v + 1) % n);
    if (v != hub) edges.emplace_back(hub, v);
  }
  return undirected_graph("hub", n, edges);
}

/// Vertex 0 has so many neighbours that a search pulls after them. The hub in the middle has 600 of its own; its last neighbour
/// is also vertex 0's.
inline Graph last_neighbour_graph() {
  constexpr VertexId n = 1371;
  constexpr VertexId hub = 700;
  constexpr VertexId others = 600;
  std::vector<Arc> edges;
  for (VertexId v = 1; v < n; ++v) {
    if (v != hub) edges.emplace_back(v <= others ? hub : 0, v);
  }
  edges.emplace_back(hub, n - 1);
  return undirected_graph("last_neighbour", n, edges);
}

/// Two hubs in components of their own, pairs, a loop and vertices alone: the smallest, and the last of a word of a bitmap, are
/// in neither component.
inline Graph two_hubs_graph() {
  constexpr VertexId n = 3000;
  std::vector<Arc> edges{{31, 1}, {63, 2}, {3, 3}, {n - 1, 95}};
  for (VertexId v = 1100; v < 2900; ++v) edges.emplace_back(v < 2000 ? 1500 : 2500, v);
  std::erase_if(edges, [](const Arc& edge) { return edge.first == edge.second && edge.first > 3; });
  return undirected_graph("two_hubs", n, edges);
}

/// Everybody points at vertex 0, which points nowhere; a chain leads through them. Rank gathers where none is handed on.
inline Graph sink_graph() {
  constexpr VertexId n = 300;
  std::vector<Arc> arcs;
  for (VertexId v = 1; v < n; ++v) {
    arcs.emplace_back(v, 0);
    if (v > 1) arcs.emplace_back(v, v - 1);
  }
  return directed_graph("sink", n, arcs);
}

/// Three lists that end at block+delta, 2*block+delta and 3*block edges from the start of the edge list; their vertices
/// and everybody else point ahead, cyclically. 32 edges of 4 bytes make a memory request, 1024 a page.
inline Graph boundary_graph(VertexId block, int delta) {
  const VertexId n = block + 5;
  const VertexId lengths[] = {static_cast<VertexId>(block + delta), block, static_cast<VertexId>(block - delta)};
  std::vector<Arc> arcs;
  for (VertexId v = 0; v < n; ++v) {
    const VertexId length = v < 3 ? lengths[v] : 1;
    for (VertexId k = 1; k <= length; ++k) arcs.emplace_back(v, (v + k) % n);
  }
  return directed_graph("boundary", n, arcs);
}

/// A clique, a path and a vertex alone, with their ids interleaved.
inline Graph two_components() {
  std::vector<Arc> edges;
  for (VertexId u = 0; u < 20; u += 2) {
    for (VertexId v = u + 2; v < 20; v += 2) edges.emplace_back(v, u);
    if (u > 0) edges.emplace_back(u + 1, u - 1);
  }
  return undirected_graph("two_components", 21, edges);
}

/// 0 -> 1 -> ... -> cycle-1 -> 0, and a tail of as many vertices that leads into vertex 0 but is not reached from it.
inline Graph cycle_with_tail(VertexId cycle) {
  std::vector<Arc> arcs;
  for (VertexId v = 0; v < cycle; ++v) arcs.emplace_back(v, (v + 1) % cycle);
  arcs.emplace_back(cycle, 0);
  for (VertexId v = cycle + 1; v < 2 * cycle; ++v) arcs.emplace_back(v, v - 1);
  return directed_graph("cycle_with_tail", 2 * cycle, arcs);
}

/// Uniform endpoints; self loops and parallel arcs as they come.
inline std::vector<Arc> random_arcs(VertexId n, std::size_t m, std::uint64_t seed) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < m; ++i) {
    arcs.emplace_back(static_cast<VertexId>(splitmix64(seed, i, 0) % n), static_cast<VertexId>(splitmix64(seed, i, 1) % n));
  }
  return arcs;
}

inline Graph random_directed(VertexId n, std::size_t m, std::uint64_t seed) {
  return directed_graph("random_directed", n, random_arcs(n, m, seed));
}

inline Graph random_undirected(VertexId n, std::size_t m, std::uint64_t seed) {
  return undirected_graph("random_undirected", n, random_arcs(n, m, seed));
}

/// A graph by the name it has in test names: letters, digits and underscores.
struct Shape {
  std::string name;
  std::function<Graph()> make;
};

inline void PrintTo(const Shape& shape, std::ostream* stream) { *stream << shape.name; }

/// For INSTANTIATE_TEST_SUITE_P(..., ::testing::ValuesIn(all_shapes()), shape_name).
inline std::string shape_name(const ::testing::TestParamInfo<Shape>& shape) { return shape.param.name; }

inline std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes{
      {"no_vertices", [] { return undirected_graph("no_vertices", 0, {}); }},
      {"one_vertex", [] { return undirected_graph("one_vertex", 1, {}); }},
      {"one_loop",
       [] {
         return undirected_graph("one_loop", 1, {{0, 0}});
       }},
      {"no_edges", [] { return directed_graph("no_edges", 70, {}); }},
      {"one_arc_at_the_end",
       [] {
         return directed_graph("one_arc_at_the_end", 70, {{69, 0}});
       }},
      {"self_loops", loops_graph},
      {"parallel_arcs", parallel_graph},
      {"parallel_edges", parallel_edges_graph},
      {"path", [] { return path_graph(300); }},
      {"star_centre_first", [] { return star_graph(100, 0); }},
      {"star_centre_last", [] { return star_graph(100, 99); }},
      {"complete", [] { return complete_graph(40); }},
      {"hub", hub_graph},
      {"sink", sink_graph},
      {"two_components", two_components},
      {"cycle_with_tail", [] { return cycle_with_tail(40); }},
      {"karate", karate},
  };
  if (!kFewCases) {  // for searches by a GPU
    shapes.push_back({"last_neighbour", last_neighbour_graph});
    shapes.push_back({"two_hubs", two_hubs_graph});
  }
  for (const VertexId block : {VertexId{32}, VertexId{1024}}) {
    shapes.push_back({"boundary_" + std::to_string(block) + "_before", [block] { return boundary_graph(block, -1); }});
    shapes.push_back({"boundary_" + std::to_string(block) + "_on", [block] { return boundary_graph(block, 0); }});
    shapes.push_back({"boundary_" + std::to_string(block) + "_after", [block] { return boundary_graph(block, 1); }});
  }
  for (const std::uint64_t seed : kFewCases ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{1, 2, 3}) {
    const std::string tail = "_seed_" + std::to_string(seed);
    shapes.push_back({"random_sparse" + tail, [seed] { return random_directed(500, 600, seed); }});
    shapes.push_back({"random_directed" + tail, [seed] { return random_directed(1000, 8000, seed); }});
    shapes.push_back({"random_undirected" + tail, [seed] { return random_undirected(1000, 3000, seed); }});
  }
  // Small graphs have few vertices that threads share, and take as long to set up.
  if (kThreadSanitized) std::erase_if(shapes, [](const Shape& shape) { return shape.make().num_vertices() < 100; });
  return shapes;
}

}  // namespace graphrun::test
