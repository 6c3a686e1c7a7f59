// SPDX-License-Identifier: Apache-2.0
// Local clustering coefficients: answers worked out by hand, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

LccOutput lcc_of(Session& session, const LccOptions& how = {}) {
  RunOptions options;
  options.lcc = how;
  AnswerData answer;
  lcc_info().run(session, {}, options, &answer);
  return *answer.as<LccOutput>();
}

LccOutput lcc_of(const Graph& graph) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return lcc_of(*opened);
}

/// By the definition, with a set of all arcs.
std::vector<std::uint64_t> arcs_between_neighbours(const Csr& csr) {
  std::set<std::pair<VertexId, VertexId>> arcs;
  std::vector<std::set<VertexId>> neighbours(csr.num_vertices());
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const VertexId u = csr.neighbours[e];
      if (u == v) continue;
      arcs.emplace(v, u);
      neighbours[v].insert(u);
      neighbours[u].insert(v);
    }
  }
  std::vector<std::uint64_t> found(csr.num_vertices(), 0);
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    for (const VertexId a : neighbours[v]) {
      for (const VertexId b : neighbours[v]) found[v] += arcs.contains({a, b});
    }
  }
  return found;
}

TEST(Lcc, GivesTheCoefficientsThatWereWorkedOutByHand) {
  struct Case {
    std::string what;
    Graph graph;
    std::vector<double> coefficients;
    double transitivity;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, std::vector<double> coefficients, double transitivity) {
    cases.push_back({what, std::move(graph), std::move(coefficients), transitivity});
  };
  add("no vertex", undirected_graph("none", 0, {}), {}, 0);
  add("no edge", undirected_graph("apart", 2, {}), {0, 0}, 0);
  add("a path has pairs and no triangle", path_graph(3), {0, 0, 0}, 0);
  add("a triangle", complete_graph(3), {1, 1, 1}, 1);
  add("a triangle with a tail", undirected_graph("tail", 4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}}), {1, 1, 1.0 / 3, 0}, 0.6);
  add("a square with a diagonal", undirected_graph("square", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}),
      {2.0 / 3, 1, 2.0 / 3, 1}, 0.75);
  add("self loops are no neighbours", undirected_graph("loop", 3, {{0, 0}, {0, 1}, {1, 2}, {2, 0}}), {1, 1, 1}, 1);
  add("parallel edges count once", undirected_graph("parallel", 3, {{0, 1}, {0, 1}, {1, 2}, {2, 0}, {2, 0}}), {1, 1, 1}, 1);
  add("one arc between two neighbours is half a pair", directed_graph("cycle", 3, {{0, 1}, {1, 2}, {2, 0}}), {0.5, 0.5, 0.5},
      0.5);
  add("arcs in both directions are two", directed_graph("both", 3, {{0, 1}, {1, 2}, {2, 1}, {2, 0}}), {1, 0.5, 0.5}, 2.0 / 3);
  add("and parallel arcs one", directed_graph("parallel", 3, {{0, 1}, {1, 2}, {1, 2}, {2, 0}}), {0.5, 0.5, 0.5}, 0.5);
  for (const Case& each : cases) {
    for (const LccOutput& found : {lcc_of(each.graph), verify::serial_lcc(each.graph.out)}) {
      ASSERT_EQ(found.coefficients.size(), each.coefficients.size()) << each.what;
      for (std::size_t v = 0; v < found.coefficients.size(); ++v)
        EXPECT_NEAR(found.coefficients[v], each.coefficients[v], 1e-12) << each.what << ", vertex " << v;
      EXPECT_NEAR(found.transitivity, each.transitivity, 1e-12) << each.what;
    }
  }
}

TEST(Lcc, OracleAgreesWithTheDefinition) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    if (graph.num_vertices() > 500) continue;
    EXPECT_EQ(verify::serial_lcc(graph.out).arcs, arcs_between_neighbours(graph.out)) << graph.name;
  }
  const Graph dense = random_directed(60, 1500, 3);
  EXPECT_EQ(verify::serial_lcc(dense.out).arcs, arcs_between_neighbours(dense.out));
}

TEST(Lcc, OracleFindsAWrongValue) {
  const Graph graph = karate();
  const LccOutput right = verify::serial_lcc(graph.out);
  EXPECT_TRUE(verify::check_lcc(graph, right));
  const auto expect_wrong = [&](const auto& change) {
    LccOutput output = right;
    change(output);
    EXPECT_FALSE(verify::check_lcc(graph, output));
  };
  expect_wrong([](LccOutput& of) { ++of.arcs[3]; });
  expect_wrong([](LccOutput& of) { of.coefficients[4] += 1e-6; });
  expect_wrong([](LccOutput& of) { of.mean += 1e-6; });
  expect_wrong([](LccOutput& of) { of.transitivity = 0; });
  expect_wrong([](LccOutput& of) { of.arcs.pop_back(); });
}

class LccConformance : public AlgorithmConformance {};

TEST_P(LccConformance, AgreesWithTheOracle) {
  constexpr std::uint64_t kAFewLists = 8192;
  for (const Graph& graph : graphs_and({random_directed(400, 5000, 7), random_undirected(700, 4100, 8)})) {
    const Opened session = open(graph, GetParam());
    for (const LccOptions& options : {LccOptions{}, {.variant = LccVariant::by_degree, .buffer_bytes = kAFewLists}}) {
      if (graph.num_edges() > 20'000 && options.buffer_bytes != 0) continue;
      expect_correct(verify::check_lcc(graph, lcc_of(*session, options)),
                     graph.name + " with lists of " + std::to_string(options.buffer_bytes));
    }
  }
}

GR_CONFORMANCE(LccConformance);

}  // namespace
}  // namespace graphrun::test
