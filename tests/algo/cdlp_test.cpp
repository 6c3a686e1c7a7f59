// SPDX-License-Identifier: Apache-2.0
// Label propagation: answers worked out by hand, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

CdlpOutput cdlp_of(Session& session, const CdlpOptions& how, Trial* trial = nullptr) {
  RunOptions options;
  options.cdlp = how;
  AnswerData answer;
  const Trial made = cdlp_info().run(session, {}, options, &answer);
  if (trial != nullptr) *trial = made;
  return *answer.as<CdlpOutput>();
}

CdlpOutput cdlp_of(const Graph& graph, std::uint64_t iterations, Trial* trial = nullptr) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return cdlp_of(*opened, {.max_iterations = iterations}, trial);
}

/// Two triangles, 0 1 2 and 3 4 5, and an edge between them.
Graph two_triangles() { return undirected_graph("triangles", 6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {2, 3}}); }

TEST(Cdlp, GivesTheLabelsThatWereWorkedOutByHand) {
  struct Case {
    std::string what;
    Graph graph;
    std::uint64_t iterations;
    std::vector<VertexId> labels;
    bool stable;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, std::uint64_t iterations, std::vector<VertexId> labels, bool stable) {
    cases.push_back({what, std::move(graph), iterations, std::move(labels), stable});
  };
  add("no vertex", undirected_graph("none", 0, {}), 10, {}, true);
  add("no edge: each keeps its label", undirected_graph("apart", 3, {}), 10, {0, 1, 2}, true);
  add("a path, whose labels change places", path_graph(3), 1, {1, 0, 1}, false);
  add("the same a step later", path_graph(3), 2, {0, 1, 0}, false);
  add("and at last", path_graph(3), 10, {0, 1, 0}, false);
  add("a vertex beside an edge", undirected_graph("beside", 3, {{0, 1}}), 3, {1, 0, 2}, false);
  add("a triangle", complete_graph(3), 1, {1, 0, 0}, false);
  add("that agrees", complete_graph(3), 2, {0, 0, 0}, false);
  add("and stays", complete_graph(3), 3, {0, 0, 0}, true);
  add("a star", star_graph(4, 0), 1, {1, 0, 0, 0}, false);
  add("two triangles", two_triangles(), 1, {1, 0, 0, 2, 3, 3}, false);
  add("a vertex between them stays with two of three", two_triangles(), 2, {0, 0, 0, 3, 2, 2}, false);
  add("two communities", two_triangles(), 3, {0, 0, 0, 2, 2, 2}, false);
  add("that stay", two_triangles(), 10, {0, 0, 0, 2, 2, 2}, true);
  add("a self loop is a neighbour", undirected_graph("loop", 2, {{0, 0}, {0, 1}}), 1, {0, 0}, false);
  add("a self loop of an arc is two", directed_graph("loop", 3, {{2, 2}, {0, 2}, {1, 2}}), 1, {2, 2, 2}, false);
  add("both directions count", directed_graph("both", 3, {{0, 2}, {1, 2}, {2, 1}}), 1, {2, 2, 1}, false);
  add("each of parallel edges counts", undirected_graph("parallel", 3, {{0, 2}, {1, 2}, {1, 2}}), 1, {2, 2, 1}, false);
  add("in-edges alone", directed_graph("in", 3, {{1, 0}, {2, 0}}), 1, {1, 0, 0}, false);
  for (const Case& each : cases) {
    const CdlpOutput found = cdlp_of(each.graph, each.iterations);
    EXPECT_EQ(found.labels, each.labels) << each.what;
    EXPECT_EQ(found.stable, each.stable) << each.what;
    const CdlpOutput expected = verify::serial_cdlp(each.graph, each.iterations);
    EXPECT_EQ(expected.labels, each.labels) << each.what;
    EXPECT_EQ(expected.stable, each.stable) << each.what;
  }
}

TEST(Cdlp, StopsAfterAnIterationThatChangesNothing) {
  Trial trial;
  EXPECT_TRUE(cdlp_of(two_triangles(), 10, &trial).stable);
  EXPECT_EQ(trial.stats.iterations, 4u);
  EXPECT_EQ(trial.stats.edges_examined, 4 * 14u);
  EXPECT_FALSE(cdlp_of(path_graph(3), 7, &trial).stable);
  EXPECT_EQ(trial.stats.iterations, 7u);
}

// Files of Graphalytics name vertices by numbers, and containers may have them in another order.
TEST(Cdlp, BreaksTiesByTheNumbersThatTheInputCallsVertices) {
  const auto named = [](const std::vector<std::uint64_t>& numbers) {
    Graph graph = star_graph(3, 0);
    auto column = Column<std::uint64_t>::allocate(numbers.size());
    std::ranges::copy(numbers, column.data());
    graph.names = VertexNames::numbers(std::move(column));
    return graph;
  };
  for (const auto& [numbers, smallest] : {std::pair<std::vector<std::uint64_t>, VertexId>{{30, 10, 20}, 1}, {{10, 30, 20}, 2}}) {
    const Graph graph = named(numbers);
    const CdlpOutput found = cdlp_of(graph, 1);
    EXPECT_EQ(found.labels, (std::vector<VertexId>{smallest, 0, 0}));
    EXPECT_TRUE(verify::check_cdlp(graph, found, 1));
  }
}

TEST(Cdlp, DoesNotReadWeights) {
  const Graph plain = random_undirected(300, 900, 3);
  const Graph weighted = with_weights(random_undirected(300, 900, 3), WeightKind::u32,
                                      [](VertexId u, VertexId v, EdgeId) { return static_cast<std::uint32_t>(u * v); });
  EXPECT_EQ(cdlp_of(weighted, 5).labels, cdlp_of(plain, 5).labels);
}

TEST(Cdlp, OracleFindsAWrongLabel) {
  const Graph graph = karate();
  CdlpOutput found = verify::serial_cdlp(graph, 3);
  EXPECT_TRUE(verify::check_cdlp(graph, found, 3));
  found.labels[5] = found.labels[5] == 0 ? 1 : 0;
  EXPECT_FALSE(verify::check_cdlp(graph, found, 3));
  found = verify::serial_cdlp(graph, 3);
  found.stable = !found.stable;
  EXPECT_FALSE(verify::check_cdlp(graph, found, 3));
  found.labels.pop_back();
  EXPECT_FALSE(verify::check_cdlp(graph, found, 3));
}

void expect_all_cdlp(const Arrangement& arrangement) {
  constexpr std::uint64_t kAFewTables = 4096;
  for (const Graph& graph : graphs_and({random_directed(400, 5000, 7), random_undirected(700, 2100, 8)})) {
    const Opened session = open(graph, arrangement);
    for (const CdlpOptions& options : {CdlpOptions{.max_iterations = 4}, {.max_iterations = 3, .table_bytes = kAFewTables}}) {
      const verify::Verdict verdict = verify::check_cdlp(graph, cdlp_of(*session, options), options.max_iterations);
      expect_correct(verdict, graph.name + " with tables of " + std::to_string(options.table_bytes));
    }
  }
}

class CdlpConformance : public AlgorithmConformance {};

TEST_P(CdlpConformance, AgreesWithTheOracle) { expect_all_cdlp(GetParam()); }

GR_CONFORMANCE(CdlpConformance);
GR_CONFORMANCE_OF(CdlpConformance, CudaPacked, packed_arrangements_of_cuda);

TEST(Cdlp, DirectedGraphsWithoutATransposeAreRefused) {
  Graph graph = random_directed(30, 90, 1);
  graph.in.reset();
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 1, BackendKind::incore, kLayouts[0]), Transpose::leave);
  EXPECT_THROW(cdlp_of(*opened, {}), UsageError);
}

}  // namespace
}  // namespace graphrun::test
