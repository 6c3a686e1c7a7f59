// SPDX-License-Identifier: Apache-2.0
// Communities by Louvain's method: worked out by hand, equal on all executors and backends, and against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

using Labels = std::vector<VertexId>;

LouvainOutput louvain_of(Session& session, const LouvainOptions& asked = {}) {
  RunOptions options;
  options.louvain = asked;
  AnswerData answer;
  louvain_info().run(session, {}, options, &answer);
  return *answer.as<LouvainOutput>();
}

LouvainOutput louvain_of(const Graph& graph, LouvainOptions asked = {}) {
  asked.weighted = graph.weight_kind != WeightKind::none;
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return louvain_of(*opened, asked);
}

verify::Verdict check(const Graph& graph, const LouvainOutput& output, double resolution = 1) {
  return verify::check_louvain(graph, output, resolution, graph.weight_kind != WeightKind::none);
}

std::size_t communities_in(const LouvainOutput& output) { return std::set(output.labels.begin(), output.labels.end()).size(); }

template <class WordOf>
Graph weighing_alike(const Graph& graph, WeightKind kind, const WordOf& word_of) {
  return with_weights(graph, kind, [&](VertexId u, VertexId v, EdgeId) {
    return static_cast<std::uint32_t>(word_of(std::min(u, v), std::max(u, v)));
  });
}

/// Complete graphs in a ring, each joined to the next by an edge.
Graph ring_of_cliques(VertexId cliques, VertexId size) {
  std::vector<Arc> edges;
  for (VertexId c = 0; c < cliques; ++c) {
    for (VertexId u = 0; u < size; ++u)
      for (VertexId v = 0; v < u; ++v) edges.push_back({c * size + v, c * size + u});
    edges.push_back({c * size, (c + 1) % cliques * size + 1});
  }
  return undirected_graph("ring of cliques", cliques * size, edges);
}

/// Two complete graphs, joined by an edge.
Graph two_cliques(VertexId size) {
  std::vector<Arc> edges = {{size - 1, size}};
  for (VertexId u = 0; u < size; ++u)
    for (VertexId v = 0; v < u; ++v) edges.insert(edges.end(), {{v, u}, {size + v, size + u}});
  return undirected_graph("two cliques", 2 * size, edges);
}

/// Marriages of Florentine families (Padgett and Ansell, American Journal of Sociology, 1993).
Graph florentine_families() {
  return undirected_graph("Florentine families", 15,
                          {{0, 1},  {1, 5}, {1, 6},  {1, 7}, {1, 8},  {1, 9},  {2, 3},  {2, 4},  {2, 5},   {3, 4},
                           {3, 11}, {4, 6}, {4, 11}, {6, 7}, {7, 12}, {8, 12}, {8, 13}, {9, 10}, {11, 12}, {12, 14}});
}

double modularity_of(const Graph& graph, const Labels& labels) {
  const auto arcs = static_cast<double>(graph.num_edges());
  std::vector<double> degrees(labels.size());
  double sum = 0;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    degrees[labels[v]] += static_cast<double>(graph.out.degree(v)) / arcs;
    for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e)
      if (labels[graph.out.neighbours[e]] == labels[v]) sum += 1 / arcs;
  }
  for (const double share : degrees) sum -= share * share;
  return sum;
}

/// Hubs next to all vertices of their groups, whose tables several threads search.
Graph hubs_graph() {
  constexpr VertexId kGroup = 3000;
  std::vector<Arc> edges;
  for (VertexId v = 3; v < 3 * kGroup; ++v) {
    edges.push_back({v % 3, v});
    if (v % 7 == 0) edges.push_back({(v + 1) % 3, v});
    if (v + 3 < 3 * kGroup) edges.push_back({v, v + 3});
  }
  return undirected_graph("hubs", 3 * kGroup, edges);
}

TEST(Louvain, FindsCommunities) {
  struct Case {
    const char* what;
    Graph graph;
    Labels labels;
    double modularity;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, VertexId n, const std::vector<Arc>& edges, Labels labels, double modularity) {
    cases.push_back({what, undirected_graph(what, n, edges), std::move(labels), modularity});
  };
  add("no vertex", 0, {}, {}, 0);
  add("no edge", 3, {}, {0, 1, 2}, 0);
  add("one edge", 3, {{0, 2}}, {0, 1, 0}, 0);
  add("two triangles and an edge", 6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {2, 3}}, {0, 0, 0, 3, 3, 3}, 5.0 / 14);
  add("two components", 5, {{0, 3}, {1, 2}, {2, 4}}, {0, 1, 1, 0, 1}, 1 - (4.0 + 16.0) / 36);
  add("a self loop counts twice", 2, {{0, 0}, {0, 1}}, {0, 0}, 0);
  add("self loops alone", 2, {{0, 0}, {1, 1}}, {0, 1}, 0.5);
  add("parallel edges", 4, {{0, 1}, {0, 1}, {0, 1}, {1, 2}, {2, 3}, {2, 3}, {2, 3}}, {0, 0, 2, 2}, 12.0 / 14 - 0.5);
  for (const Case& each : cases) {
    const LouvainOutput found = louvain_of(each.graph);
    EXPECT_EQ(found.labels, each.labels) << each.what;
    EXPECT_NEAR(found.modularity, each.modularity, 1e-12) << each.what;
    expect_correct(check(each.graph, found), each.what);
  }
}

// Karate's first round alone ended with 0.3949, and the Florentine families' with 0.36.
TEST(Louvain, ReachesTheModularityOfOthers) {
  struct Case {
    Graph graph;
    double modularity;  ///< the largest; of the families, NetworkX's best of 200 seeds
  };
  const std::vector<Case> cases = {
      {karate(), 0.4197896},
      {florentine_families(), 638.0 / 1600},
      {two_cliques(6), 60.0 / 62 - 0.5},
      {ring_of_cliques(8, 6), 8 * (30.0 / 256 - 1.0 / 64)},
  };
  for (const Case& each : cases) {
    const LouvainOutput found = louvain_of(each.graph);
    EXPECT_NEAR(found.modularity, each.modularity, 1e-7) << each.graph.name;
    expect_correct(check(each.graph, found), each.graph.name);
  }
}

// Vertices that would gain by another community stayed in theirs after communities had joined.
TEST(Louvain, MovesVerticesAgainAfterCommunitiesJoined) {
  for (const Graph& graph : {karate(), florentine_families(), ring_of_cliques(20, 4)}) {
    const LouvainOutput found = louvain_of(graph);
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        Labels labels = found.labels;
        labels[v] = found.labels[graph.out.neighbours[e]];
        EXPECT_LE(modularity_of(graph, labels), found.modularity + 1e-9) << graph.name << ", vertex " << v;
      }
    }
  }
}

TEST(Louvain, ReadsWeightsOfAllKinds) {
  const Graph ring = undirected_graph("ring", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  const auto is_heavy = [](VertexId u, VertexId v) { return u % 2 != 0 || v - u == 3; };
  const Graph words = weighing_alike(ring, WeightKind::u32, [&](VertexId u, VertexId v) { return is_heavy(u, v) ? 9 : 1; });
  const Graph floats = weighing_alike(
      ring, WeightKind::f32, [&](VertexId u, VertexId v) { return std::bit_cast<std::uint32_t>(is_heavy(u, v) ? 0.9f : 0.1f); });
  const Graph wide = with_wide_weights(ring, [&](VertexId u, VertexId v, EdgeId) {
    return std::uint64_t{is_heavy(std::min(u, v), std::max(u, v)) ? 9u : 1u} << 58;
  });
  for (const Graph* graph : {&words, &floats, &wide}) {
    const LouvainOutput found = louvain_of(*graph);
    EXPECT_EQ(found.labels, (Labels{0, 1, 1, 0}));
    EXPECT_NEAR(found.modularity, 0.4, 1e-7);
    expect_correct(check(*graph, found), "weights");
  }
  EXPECT_EQ(louvain_of(weighing_alike(ring, WeightKind::u32, [](VertexId, VertexId) { return 0; })).labels, (Labels{0, 1, 2, 3}))
      << "edges without weight are none";
}

TEST(Louvain, MakesSmallerCommunitiesWithAHigherResolution) {
  const Graph graph = ring_of_cliques(20, 4);
  std::size_t last = 0;
  for (const double resolution : {0.1, 1.0, 12.0}) {
    const LouvainOutput found = louvain_of(graph, {.resolution = resolution});
    expect_correct(check(graph, found, resolution), "resolution");
    EXPECT_GT(communities_in(found), last);
    last = communities_in(found);
  }
}

TEST(Louvain, SearchesLongTablesInPieces) {
  const Graph graph = hubs_graph();
  const LouvainOutput found = louvain_of(graph);
  expect_correct(check(graph, found), "hubs");
  EXPECT_GT(found.modularity, 0.5);
}

TEST(Louvain, OracleFindsWrongAnswers) {
  const Graph graph = ring_of_cliques(4, 5);
  const LouvainOutput right = louvain_of(graph);
  EXPECT_TRUE(check(graph, right));
  const auto expect_wrong = [&](const char* what, const auto& change) {
    LouvainOutput found = right;
    change(found);
    EXPECT_FALSE(check(graph, found)) << what;
  };
  expect_wrong("sizes", [](LouvainOutput& found) { found.labels.pop_back(); });
  expect_wrong("modularity", [](LouvainOutput& found) { found.modularity += 1e-6; });
  expect_wrong("a vertex elsewhere", [](LouvainOutput& found) { found.labels[19] = 0; });
  expect_wrong("no smallest vertex", [](LouvainOutput& found) { found.labels[0] = found.labels[1] = 1; });
  LouvainOutput alone{Labels(20), 0, 1};
  for (VertexId v = 0; v < 20; ++v) alone.labels[v] = v;
  double squares = 0;
  for (VertexId v = 0; v < 20; ++v) squares += static_cast<double>(graph.out.degree(v) * graph.out.degree(v));
  const auto arcs = static_cast<double>(graph.num_edges());
  alone.modularity = -squares / (arcs * arcs);
  EXPECT_NE(check(graph, alone).reason.find("would gain"), std::string::npos);
}

TEST(Louvain, RefusesWhatIsNoUndirectedGraph) {
  EXPECT_THROW(louvain_of(random_directed(30, 90, 1)), UsageError);
  const Graph uneven =
      with_weights(complete_graph(3), WeightKind::u32, [](VertexId u, VertexId v, EdgeId) { return (u + 1) % 3 == v ? 1u : 2u; });
  EXPECT_NE(refusal([&] { louvain_of(uneven); }).find("same in both directions"), std::string::npos);
}

struct Expected {
  Graph graph;
  LouvainOutput output;
};

/// Made and checked once: the oracle takes longer than a run.
const std::vector<Expected>& expected_everywhere() {
  static const std::vector<Expected> all = [] {
    std::vector<Graph> graphs;
    for (const Shape& shape : all_shapes()) {
      if (Graph graph = shape.make(); graph.symmetric) graphs.push_back(std::move(graph));
    }
    const int part = kThreadSanitized ? 10 : kSanitized ? 5 : 1;  // passes over pages that do not stay take a minute there
    graphs.push_back(ring_of_cliques(100 / part, 5));
    graphs.push_back(random_undirected(1200 / part, 7000 / part, 9));
    if (!kSanitized) graphs.push_back(hubs_graph());
    graphs.push_back(weighing_alike(random_undirected(2000 / part, 9000 / part, 9), WeightKind::f32, [](VertexId u, VertexId v) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(splitmix64(3, u, v) % 1000) / 7.0f);
    }));
    std::vector<Expected> made;
    for (Graph& graph : graphs) {
      LouvainOutput output = louvain_of(graph);
      expect_correct(check(graph, output), graph.name);
      made.push_back({std::move(graph), std::move(output)});
    }
    return made;
  }();
  return all;
}

class LouvainConformance : public AlgorithmConformance {};

TEST_P(LouvainConformance, FindsTheSameEverywhere) {
  for (const auto& [graph, expected] : expected_everywhere()) {
    const Opened session = open(graph, GetParam());
    const LouvainOutput found = louvain_of(*session, {.weighted = graph.weight_kind != WeightKind::none});
    EXPECT_EQ(found.labels, expected.labels) << graph.name;
    EXPECT_EQ(found.modularity, expected.modularity) << graph.name;
  }
}

GR_CONFORMANCE(LouvainConformance);

}  // namespace
}  // namespace graphrun::test
