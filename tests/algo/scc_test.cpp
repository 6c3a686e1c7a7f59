// SPDX-License-Identifier: Apache-2.0
// Strong components: answers worked out by hand, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

SccOutput scc_of(Session& session, Trial* trial = nullptr) {
  AnswerData answer;
  const Trial made = scc_info().run(session, {}, RunOptions{}, &answer);
  if (trial != nullptr) *trial = made;
  return *answer.as<SccOutput>();
}

SccOutput scc_of(const Graph& graph, Trial* trial = nullptr) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return scc_of(*opened, trial);
}

/// Cycles of `length` vertices, each with an arc to the next one; a cycle has every `count`-th vertex.
Graph chain_of_cycles(VertexId count, VertexId length) {
  std::vector<Arc> arcs;
  for (VertexId c = 0; c < count; ++c) {
    for (VertexId i = 0; i < length; ++i) arcs.emplace_back(c + i * count, c + (i + 1) % length * count);
    if (c + 1 < count) arcs.emplace_back(c, c + 1);
  }
  return directed_graph("chain_of_cycles", count * length, arcs);
}

/// A mesh in which each edge has one direction, chosen by the seed.
Graph one_way_mesh(VertexId side, std::uint64_t seed) {
  std::vector<Arc> arcs;
  const auto add = [&](VertexId u, VertexId v) {
    const bool turned = (splitmix64(seed, u, v) & 1) != 0;
    arcs.emplace_back(turned ? v : u, turned ? u : v);
  };
  for (VertexId v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) add(v, v + 1);
    if (v / side + 1 < side) add(v, v + side);
  }
  return directed_graph("one_way_mesh", side * side, arcs);
}

TEST(Scc, GivesTheComponentsThatWereWorkedOutByHand) {
  struct Case {
    const char* what;
    Graph graph;
    std::vector<VertexId> labels;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, std::vector<VertexId> labels) {
    cases.push_back({what, std::move(graph), std::move(labels)});
  };
  add("no vertex", directed_graph("none", 0, {}), {});
  add("no arc", directed_graph("apart", 3, {}), {0, 1, 2});
  add("one arc", directed_graph("arc", 2, {{1, 0}}), {0, 1});
  add("self loops alone", directed_graph("loops", 3, {{0, 0}, {1, 1}, {1, 1}}), {0, 1, 2});
  add("self loops on a path, which end no peeling", directed_graph("path", 4, {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}}),
      {0, 1, 2, 3});
  add("a cycle", directed_graph("cycle", 3, {{0, 1}, {1, 2}, {2, 0}}), {0, 0, 0});
  add("arcs both ways", directed_graph("pair", 3, {{1, 2}, {2, 1}, {0, 1}}), {0, 1, 1});
  add("parallel arcs", directed_graph("parallel", 4, {{3, 1}, {3, 1}, {1, 3}, {1, 0}, {1, 0}, {0, 2}}), {0, 1, 2, 1});
  add("two cycles, and a vertex between them",
      directed_graph("between", 7, {{4, 5}, {5, 6}, {6, 4}, {5, 2}, {2, 3}, {3, 1}, {1, 0}, {0, 3}}), {0, 0, 2, 0, 4, 4, 4});
  add("an edge between cycles back makes them one",
      directed_graph("one", 6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {4, 1}}), {0, 0, 0, 0, 0, 0});
  add("of an undirected graph, its components", undirected_graph("sides", 5, {{4, 2}, {1, 3}}), {0, 1, 2, 1, 2});
  for (const Case& each : cases) {
    EXPECT_EQ(scc_of(each.graph).labels, each.labels) << each.what;
    EXPECT_EQ(verify::serial_strong_components(each.graph.out), each.labels) << each.what;
  }
}

TEST(Scc, DescribesComponentsAsCcDoes) {
  const AnswerData answer(scc_of(cycle_with_tail(3)));
  ASSERT_EQ(answer.columns.size(), 1u);
  EXPECT_EQ(answer.columns[0].name, "component");
  EXPECT_EQ(answer.columns[0].digest, DigestBy::groups);
  EXPECT_TRUE(answer.columns[0].are_vertices);
}

TEST(Scc, ManyComponentsInARowTakeFewRounds) {
  constexpr VertexId kCycles = 1000;
  const Graph graph = chain_of_cycles(kCycles, 3);
  Trial trial;
  EXPECT_EQ(scc_of(graph, &trial).labels, verify::serial_strong_components(graph.out));
  // A color goes some cycles far in each round; a round for each of them would examine a hundred times as many.
  EXPECT_LT(trial.stats.edges_examined, 100 * graph.num_edges());
}

// A rank that does not answer emptied the labels of an undirected graph, if it was the last.
TEST(Scc, RanksKeepTheLabelsOfTheOneThatAnswers) {
  const Graph graph = random_undirected(1000, 900, 3);
  int ran = 0;
  for (const Arrangement& arrangement : ranks_arrangements()) {
    if (!what_lacks(arrangement).empty()) continue;
    ++ran;
    const Opened session = open(graph, arrangement);
    for (int trial = 0; trial < 5; ++trial) EXPECT_EQ(scc_of(*session).labels, verify::serial_components(graph.out));
  }
  EXPECT_GT(ran, 0);
}

TEST(Scc, RunsAgainInItsSession) {
  const Graph graph = random_directed(500, 800, 2);
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]));
  const std::vector<VertexId> expected = verify::serial_strong_components(graph.out);
  for (int trial = 0; trial < 3; ++trial) EXPECT_EQ(scc_of(*opened).labels, expected);
}

TEST(Scc, OracleFindsAWrongLabel) {
  const Graph graph = cycle_with_tail(5);
  SccOutput found{verify::serial_strong_components(graph.out)};
  EXPECT_TRUE(verify::check_scc(graph, found));
  for (const VertexId wrong : {VertexId{1}, VertexId{7}, VertexId{10}, kNoVertex}) {
    found.labels[3] = wrong;
    EXPECT_FALSE(verify::check_scc(graph, found)) << wrong;
  }
  found.labels[3] = 0;
  found.labels.pop_back();
  EXPECT_FALSE(verify::check_scc(graph, found));
}

TEST(Scc, DirectedGraphsWithoutATransposeAreRefused) {
  Graph graph = random_directed(30, 90, 1);
  graph.in.reset();
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 1, BackendKind::incore, kLayouts[0]), Transpose::leave);
  EXPECT_THROW(scc_of(*opened), UsageError);
}

class SccConformance : public AlgorithmConformance {};

TEST_P(SccConformance, AgreesWithTheOracle) {
  // The first one has many small components: so few arcs make no giant one.
  for (const Graph& graph : graphs_and(
           {random_directed(3000, 4000, 7), random_directed(2000, 40'000, 8), one_way_mesh(40, 9), chain_of_cycles(150, 4)})) {
    const Opened session = open(graph, GetParam());
    expect_correct(verify::check_scc(graph, scc_of(*session)), graph.name);
  }
}

GR_CONFORMANCE(SccConformance);

}  // namespace
}  // namespace graphrun::test
