// SPDX-License-Identifier: Apache-2.0
// k-core: answers worked out by hand, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

KcoreOutput kcore_of(Session& session, Trial* trial = nullptr) {
  AnswerData answer;
  const Trial made = kcore_info().run(session, {}, RunOptions{}, &answer);
  if (trial != nullptr) *trial = made;
  return *answer.as<KcoreOutput>();
}

KcoreOutput kcore_of(const Graph& graph, Trial* trial = nullptr) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return kcore_of(*opened, trial);
}

TEST(Kcore, GivesTheCoresThatWereWorkedOutByHand) {
  struct Case {
    const char* what;
    Graph graph;
    std::vector<VertexId> cores;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, std::vector<VertexId> cores) {
    cases.push_back({what, std::move(graph), std::move(cores)});
  };
  add("no vertex", undirected_graph("none", 0, {}), {});
  add("no edge", undirected_graph("apart", 3, {}), {0, 0, 0});
  add("a path, from its ends on", path_graph(5), {1, 1, 1, 1, 1});
  add("a star", star_graph(4, 0), {1, 1, 1, 1});
  add("levels 1 and 2 have no vertex", complete_graph(4), {3, 3, 3, 3});
  add("a tail and a vertex beside a triangle", undirected_graph("tail", 6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}}),
      {2, 2, 2, 1, 1, 0});
  add("two triangles, and a vertex between them with two edges",
      undirected_graph("between", 7, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {2, 6}, {6, 3}}), {2, 2, 2, 2, 2, 2, 2});
  add("a degree above the coreness", undirected_graph("hub", 6, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {0, 4}, {0, 5}}),
      {2, 2, 2, 1, 1, 1});
  add("a self loop does not count", undirected_graph("loop", 3, {{0, 0}, {0, 1}, {2, 2}, {2, 2}}), {1, 1, 0});
  add("nor in a directed graph", directed_graph("loop", 3, {{0, 0}, {0, 1}, {2, 2}}), {1, 1, 0});
  add("each of parallel edges counts", undirected_graph("parallel", 3, {{0, 1}, {0, 1}, {1, 2}}), {2, 2, 1});
  add("a directed cycle: both directions count", directed_graph("cycle", 3, {{0, 1}, {1, 2}, {2, 0}}), {2, 2, 2});
  add("an edge in both directions is two", directed_graph("both", 3, {{0, 1}, {1, 0}, {2, 0}}), {2, 2, 1});
  add("a source of three", directed_graph("source", 4, {{0, 1}, {0, 2}, {0, 3}}), {1, 1, 1, 1});
  for (const Case& each : cases) {
    EXPECT_EQ(kcore_of(each.graph).cores, each.cores) << each.what;
    EXPECT_EQ(verify::serial_cores(each.graph), each.cores) << each.what;
  }
}

// NetworkX's core_number() of its karate_club_graph().
TEST(Kcore, GivesTheCoresOfNetworkX) {
  EXPECT_EQ(kcore_of(karate()).cores, (std::vector<VertexId>{4, 4, 4, 4, 3, 3, 3, 4, 4, 2, 3, 1, 2, 4, 2, 2, 2,
                                                             2, 2, 3, 2, 2, 2, 3, 3, 3, 2, 3, 3, 3, 4, 3, 4, 4}));
}

TEST(Kcore, DescribesTheInnermostCore) {
  const AnswerData answer(kcore_of(karate()));
  ASSERT_EQ(answer.scalars.size(), 3u);
  for (const auto& [i, name, value] :
       {std::tuple<std::size_t, std::string, std::uint64_t>{0, "degeneracy", 4}, {1, "innermost", 10}, {2, "sum", 99}}) {
    EXPECT_EQ(answer.scalars[i].name, name);
    EXPECT_EQ(std::get<std::uint64_t>(answer.scalars[i].value), value) << name;
  }
}

TEST(Kcore, ExaminesEachEdgeOnceAfterThePassForSelfLoops) {
  Trial trial;
  kcore_of(complete_graph(50), &trial);
  EXPECT_EQ(trial.stats.iterations, 1u);
  EXPECT_EQ(trial.stats.edges_examined, 2 * 50u * 49);
  kcore_of(path_graph(9), &trial);
  EXPECT_EQ(trial.stats.iterations, 5u);
  EXPECT_EQ(trial.stats.edges_examined, 2 * 16u);
  const Graph directed = random_directed(300, 2000, 5);
  kcore_of(directed, &trial);
  EXPECT_EQ(trial.stats.edges_examined, 3 * 2000u);
}

TEST(Kcore, RunsAgainInItsSession) {
  const Graph graph = random_undirected(500, 4000, 2);
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]));
  const std::vector<VertexId> expected = verify::serial_cores(graph);
  for (int trial = 0; trial < 3; ++trial) EXPECT_EQ(kcore_of(*opened).cores, expected);
}

TEST(Kcore, OracleFindsAWrongCoreness) {
  const Graph graph = karate();
  KcoreOutput found{verify::serial_cores(graph)};
  EXPECT_TRUE(verify::check_kcore(graph, found));
  ++found.cores[5];
  EXPECT_FALSE(verify::check_kcore(graph, found));
  found.cores.pop_back();
  EXPECT_FALSE(verify::check_kcore(graph, found));
}

TEST(Kcore, DirectedGraphsWithoutATransposeAreRefused) {
  Graph graph = random_directed(30, 90, 1);
  graph.in.reset();
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 1, BackendKind::incore, kLayouts[0]), Transpose::leave);
  EXPECT_THROW(kcore_of(*opened), UsageError);
}

class KcoreConformance : public AlgorithmConformance {};

TEST_P(KcoreConformance, AgreesWithTheOracle) {
  for (const Graph& graph :
       graphs_and({random_directed(400, 5000, 7), random_undirected(700, 2100, 8), random_undirected(3000, 40'000, 9)})) {
    const Opened session = open(graph, GetParam());
    expect_correct(verify::check_kcore(graph, kcore_of(*session)), graph.name);
  }
}

GR_CONFORMANCE(KcoreConformance);
GR_CONFORMANCE_OF(KcoreConformance, CudaPacked, packed_arrangements_of_cuda);

}  // namespace
}  // namespace graphrun::test
