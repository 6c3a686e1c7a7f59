// SPDX-License-Identifier: Apache-2.0
// Independent sets: that they are, that they are maximal, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

MisOutput mis_of(Session& session) {
  AnswerData answer;
  mis_info().run(session, {}, RunOptions{}, &answer);
  return *answer.as<MisOutput>();
}

MisOutput mis_of(const Graph& graph) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return mis_of(*opened);
}

void expect_maximal(const Graph& graph, const std::vector<std::uint32_t>& members) {
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    bool has_member = false;
    for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
      const VertexId u = graph.out.neighbours[e];
      has_member |= u != v && members[u] != 0;
    }
    EXPECT_NE(members[v] != 0, has_member) << graph.name << ", vertex " << v;
  }
}

TEST(Mis, IsIndependentAndMaximal) {
  for (const Graph& graph :
       {karate(), loops_graph(), parallel_edges_graph(), two_components(), random_undirected(1000, 3000, 4)}) {
    const std::vector<std::uint32_t> members = mis_of(graph).members;
    expect_maximal(graph, members);
    EXPECT_EQ(verify::serial_independent_set(graph.out), members) << graph.name;
  }
}

// splitmix64 ascends from 3 over 4, 1 and 2 to 0.
TEST(Mis, TakesVerticesInTheOrderOfTheirHashes) {
  ASSERT_TRUE(mis_takes_before(3, 4) && mis_takes_before(4, 1) && mis_takes_before(1, 2) && mis_takes_before(2, 0));
  EXPECT_EQ(mis_of(path_graph(5)).members, (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(mis_of(complete_graph(5)).members, (std::vector<std::uint32_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(mis_of(star_graph(5, 0)).members, (std::vector<std::uint32_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(mis_of(star_graph(5, 3)).members, (std::vector<std::uint32_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(mis_of(undirected_graph("loop", 2, {{0, 0}})).members, (std::vector<std::uint32_t>{1, 1}))
      << "a self loop is no edge";
}

TEST(Mis, DescribesItsSize) {
  const AnswerData answer(MisOutput{{0, 1, 0, 1}});
  ASSERT_EQ(answer.scalars.size(), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(answer.scalars[0].value), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(answer.scalars[1].value), 4u);
}

TEST(Mis, RunsAgainInItsSession) {
  const Graph graph = random_undirected(500, 4000, 2);
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]));
  for (int trial = 0; trial < 3; ++trial) EXPECT_EQ(mis_of(*opened).members, verify::serial_independent_set(graph.out));
}

TEST(Mis, OracleFindsAWrongMember) {
  const Graph graph = karate();
  MisOutput found{verify::serial_independent_set(graph.out)};
  EXPECT_TRUE(verify::check_mis(graph, found));
  found.members[7] ^= 1;
  EXPECT_FALSE(verify::check_mis(graph, found));
  found.members.pop_back();
  EXPECT_FALSE(verify::check_mis(graph, found));
}

TEST(Mis, DirectedGraphsAreRefused) { EXPECT_THROW(mis_of(random_directed(30, 90, 1)), UsageError); }

class MisConformance : public AlgorithmConformance {};

TEST_P(MisConformance, AgreesWithTheOracle) {
  std::vector<Graph> graphs;
  for (const Shape& shape : all_shapes()) {
    if (Graph graph = shape.make(); graph.symmetric) graphs.push_back(std::move(graph));
  }
  graphs.push_back(random_undirected(3000, 40'000, 9));
  for (const Graph& graph : graphs) {
    const Opened session = open(graph, GetParam());
    expect_correct(verify::check_mis(graph, mis_of(*session)), graph.name);
  }
}

GR_CONFORMANCE(MisConformance);

}  // namespace
}  // namespace graphrun::test
