// SPDX-License-Identifier: Apache-2.0
// Minimum spanning forests: answers worked out by hand, and against Kruskal's wherever edges may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

MsfOutput msf_of(Session& session) {
  AnswerData answer;
  msf_info().run(session, {}, RunOptions{}, &answer);
  return *answer.as<MsfOutput>();
}

MsfOutput msf_of(const Graph& graph) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return msf_of(*opened);
}

/// Both directions of an edge have word_of(smaller end, larger end).
template <class WordOf>
Graph weighing(const Graph& graph, WeightKind kind, const WordOf& word_of) {
  return with_weights(graph, kind, [&](VertexId u, VertexId v, EdgeId) {
    return static_cast<std::uint32_t>(word_of(std::min(u, v), std::max(u, v)));
  });
}

Graph weighing(const Graph& graph, std::uint32_t largest, std::uint64_t seed = 1) {
  return weighing(graph, WeightKind::u32, [&](VertexId u, VertexId v) { return splitmix64(seed, u, v) % (largest + 1ull); });
}

std::uint32_t word_of(float weight) { return std::bit_cast<std::uint32_t>(weight); }

TEST(Msf, GivesTheForestsThatWereWorkedOutByHand) {
  using Words = std::vector<std::uint32_t>;
  struct Case {
    const char* what;
    Graph graph;
    std::vector<VertexId> parents;
    Words weights;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, const auto& weight_of, std::vector<VertexId> parents, Words weights) {
    cases.push_back({what, weighing(graph, WeightKind::u32, weight_of), std::move(parents), std::move(weights)});
  };
  const auto one = [](VertexId, VertexId) { return 1; };
  add("no vertex", undirected_graph("none", 0, {}), one, {}, {});
  add("no edge", undirected_graph("apart", 3, {}), one, {0, 1, 2}, {0, 0, 0});
  add("a triangle leaves out its heaviest edge", complete_graph(3), [](VertexId u, VertexId v) { return 10 - u - v; }, {0, 2, 0},
      {0, 7, 8});
  add("of equal ones, those with the smaller ends", complete_graph(4), one, {0, 0, 0, 0}, {0, 1, 1, 1});
  add("a cycle whose components choose each other", undirected_graph("ring", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}),
      [](VertexId u, VertexId v) { return u + v == 3 ? 5 : 1; }, {0, 0, 3, 0}, {0, 1, 1, 5});
  add("two trees", undirected_graph("trees", 6, {{5, 1}, {1, 3}, {4, 2}}), [](VertexId, VertexId v) { return v; },
      {0, 1, 2, 1, 2, 1}, {0, 0, 0, 3, 4, 5});
  add("self loops are no edges", undirected_graph("loops", 2, {{0, 0}, {1, 1}, {1, 0}}),
      [](VertexId u, VertexId v) { return u == v ? 0 : 9; }, {0, 0}, {0, 9});
  add("the largest weight", path_graph(2), [](VertexId, VertexId) { return ~0u; }, {0, 0}, {0, ~0u});
  for (const Case& each : cases) {
    const MsfOutput found = msf_of(each.graph);
    EXPECT_EQ(found.parents, each.parents) << each.what;
    EXPECT_EQ(std::get<Words>(found.weights), each.weights) << each.what;
    expect_correct(verify::check_msf(each.graph, found), each.what);
  }
}

TEST(Msf, TakesTheLightestOfParallelEdges) {
  Graph graph = undirected_graph("parallel", 2, {{0, 1}, {0, 1}, {0, 1}});
  graph =
      with_weights(graph, WeightKind::u32, [&](VertexId, VertexId, EdgeId e) { return static_cast<std::uint32_t>(3 + e % 3); });
  EXPECT_EQ(std::get<std::vector<std::uint32_t>>(msf_of(graph).weights), (std::vector<std::uint32_t>{0, 3}));
}

TEST(Msf, ReadsFloatsAndWideWeights) {
  const Graph floats =
      weighing(complete_graph(3), WeightKind::f32, [](VertexId u, VertexId v) { return word_of(u + v == 2 ? 0.5f : 0.25f); });
  EXPECT_EQ(std::get<std::vector<float>>(msf_of(floats).weights), (std::vector<float>{0, 0.25f, 0.25f}));
  const Graph zeros =
      weighing(complete_graph(3), WeightKind::f32, [](VertexId u, VertexId v) { return word_of(u + v == 1 ? -0.0f : 1.0f); });
  EXPECT_EQ(msf_of(zeros).parents, (std::vector<VertexId>{0, 0, 0})) << "-0 is no heavy weight";
  expect_correct(verify::check_msf(zeros, msf_of(zeros)), "zeros");
  const Graph wide =
      with_wide_weights(complete_graph(3), [](VertexId u, VertexId v, EdgeId) { return std::uint64_t{u + v} << 40; });
  const MsfOutput found = msf_of(wide);
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(found.weights), (std::vector<std::uint64_t>{0, 1ull << 40, 2ull << 40}));
  const AnswerData answer(found);
  EXPECT_EQ(std::get<std::uint64_t>(answer.scalars[1].value), 3ull << 40);
}

TEST(Msf, DescribesEdgesAndTheirSum) {
  const AnswerData whole(MsfOutput{{0, 0, 2, 2}, {0, 0, 2, 2}, std::vector<std::uint32_t>{0, ~0u, 0, 7}});
  ASSERT_EQ(whole.scalars.size(), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(whole.scalars[0].value), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(whole.scalars[1].value), 0x100000006u);
  const AnswerData overflows(MsfOutput{{0, 0, 1}, {0, 0, 0}, std::vector<std::uint64_t>{0, ~0ull, 1ull << 63}});
  EXPECT_DOUBLE_EQ(std::get<double>(overflows.scalars[1].value), 0x1p64 + 0x1p63);
}

TEST(Msf, RunsAgainInItsSession) {
  const Graph graph = weighing(random_undirected(500, 4000, 2), 20);
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]));
  for (int trial = 0; trial < 3; ++trial) expect_correct(verify::check_msf(graph, msf_of(*opened)), "again");
}

TEST(Msf, OracleFindsAWrongForest) {
  const Graph graph = weighing(karate(), 5);
  const MsfOutput right = msf_of(graph);
  EXPECT_TRUE(verify::check_msf(graph, right));
  const auto expect_wrong = [&](const char* what, const auto& change) {
    MsfOutput found = right;
    change(found, std::get<std::vector<std::uint32_t>>(found.weights));
    EXPECT_FALSE(verify::check_msf(graph, found)) << what;
  };
  expect_wrong("an edge of another forest",
               [](MsfOutput& found, auto&) { found.parents[33] = found.parents[33] == 32 ? 31 : 32; });
  expect_wrong("no edge", [](MsfOutput& found, auto&) { found.parents[9] = 10; });
  expect_wrong("no vertex", [](MsfOutput& found, auto&) { found.parents[9] = kNoVertex; });
  expect_wrong("one too few", [](MsfOutput& found, auto&) { found.parents[9] = 9; });
  expect_wrong("an edge twice", [](MsfOutput& found, auto&) { found.parents[found.parents[9]] = 9; });
  expect_wrong("a weight", [](MsfOutput&, auto& weights) { ++weights[9]; });
  expect_wrong("a weight of a root", [](MsfOutput&, auto& weights) { ++weights[0]; });
  expect_wrong("a component", [](MsfOutput& found, auto&) { found.components[9] = 1; });
  expect_wrong("sizes", [](MsfOutput& found, auto&) { found.components.pop_back(); });
}

TEST(Msf, RefusesWhatIsNoUndirectedGraphWithWeights) {
  EXPECT_THROW(msf_of(weighing(random_directed(30, 90, 1), 9)), UsageError);
  // Boruvka's rounds would go around in a circle.
  const Graph uneven =
      with_weights(complete_graph(3), WeightKind::u32, [](VertexId u, VertexId v, EdgeId) { return (u + 1) % 3 == v ? 1u : 2u; });
  EXPECT_NE(refusal([&] { msf_of(uneven); }).find("same in both directions"), std::string::npos);
}

class MsfConformance : public AlgorithmConformance {};

TEST_P(MsfConformance, AgreesWithTheOracle) {
  std::vector<Graph> graphs;
  for (const Shape& shape : all_shapes()) {
    if (const Graph graph = shape.make(); graph.symmetric) graphs.push_back(weighing(graph, 1000));
  }
  graphs.push_back(weighing(path_graph(500), WeightKind::u32, [](VertexId u, VertexId) { return u; }));  // all join in one round
  graphs.push_back(weighing(complete_graph(60), 0));
  graphs.push_back(weighing(random_undirected(3000, 20'000, 9), 3));
  graphs.push_back(weighing(random_undirected(2000, 9000, 9), WeightKind::f32, [](VertexId u, VertexId v) {
    return word_of(static_cast<float>(splitmix64(3, u, v) % 1000) / 7.0f);
  }));
  for (const Graph& graph : graphs) {
    const Opened session = open(graph, GetParam());
    expect_correct(verify::check_msf(graph, msf_of(*session)), graph.name);
  }
}

GR_CONFORMANCE(MsfConformance);

}  // namespace
}  // namespace graphrun::test
