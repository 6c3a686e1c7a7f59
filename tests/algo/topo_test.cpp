// SPDX-License-Identifier: Apache-2.0
// Topological levels: answers worked out by hand, cycles that are named, and the check wherever edges may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

TopoOutput topo_of(Session& session, Trial* trial = nullptr) {
  AnswerData answer;
  const Trial made = topo_info().run(session, {}, RunOptions{}, &answer);
  if (trial != nullptr) *trial = made;
  return *answer.as<TopoOutput>();
}

TopoOutput topo_of(const Graph& graph, Trial* trial = nullptr) {
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  return topo_of(*opened, trial);
}

/// Arcs from smaller to larger ids, of which `seed` then makes others.
Graph acyclic(VertexId n, std::size_t m, std::uint64_t seed) {
  std::vector<Arc> arcs;
  for (const auto& [u, v] : random_arcs(n, m, seed)) {
    if (u != v)
      arcs.emplace_back((std::min(u, v) * 7 + 3) % n, (std::max(u, v) * 7 + 3) % n);  // a permutation, if 7 does not divide n
  }
  return directed_graph("acyclic", n, arcs);
}

/// A path down to vertex 0, which runs through all vertices.
Graph long_path(VertexId n) {
  std::vector<Arc> arcs;
  for (VertexId v = 1; v < n; ++v) arcs.emplace_back(v, v - 1);
  return directed_graph("long_path", n, arcs);
}

TEST(Topo, GivesTheLevelsThatWereWorkedOutByHand) {
  struct Case {
    const char* what;
    Graph graph;
    std::vector<VertexId> levels;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* what, Graph graph, std::vector<VertexId> levels) {
    cases.push_back({what, std::move(graph), std::move(levels)});
  };
  add("no vertex", directed_graph("none", 0, {}), {});
  add("no arc", directed_graph("apart", 3, {}), {0, 0, 0});
  add("a path", long_path(4), {3, 2, 1, 0});
  add("the longest of several paths counts", directed_graph("paths", 5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}}),
      {0, 1, 2, 3, 1});
  add("parallel arcs", directed_graph("parallel", 3, {{2, 1}, {2, 1}, {1, 0}, {2, 0}, {1, 0}}), {2, 1, 0});
  add("two parts", directed_graph("parts", 5, {{4, 3}, {1, 0}, {3, 0}}), {2, 0, 0, 1, 0});
  for (const Case& each : cases) {
    EXPECT_EQ(topo_of(each.graph).levels, each.levels) << each.what;
    expect_correct(verify::check_topo(each.graph, {each.levels}), each.what);
  }
}

TEST(Topo, NamesAVertexOnACycle) {
  struct Case {
    const char* what;
    Graph graph;
    const char* name;
  };
  std::vector<Case> cases;
  cases.push_back({"a self loop", directed_graph("loop", 3, {{0, 1}, {1, 1}, {1, 2}}), "1"});
  cases.push_back({"a tail from it is not on it", directed_graph("tail", 6, {{3, 4}, {4, 5}, {5, 3}, {5, 0}, {0, 1}}), "3"});
  cases.push_back({"nor one to it", directed_graph("lead", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 2}}), "2"});
  cases.push_back({"a path between two", directed_graph("two", 6, {{4, 5}, {5, 4}, {4, 0}, {0, 2}, {2, 3}, {3, 2}}), ""});
  cases.push_back({"an undirected edge", undirected_graph("edge", 3, {{1, 2}}), "1"});
  for (const Case& each : cases) {
    std::string named;
    for (const auto& arrangement :
         {make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]), ranks_arrangements().front()}) {
      const Opened session = open(each.graph, arrangement);
      const std::string said = refusal([&] { topo_of(*session); });
      EXPECT_NE(said.find("on a cycle"), std::string::npos) << each.what << ": " << said;
      if (*each.name != 0) {
        EXPECT_NE(said.find(std::string("vertex ") + each.name + " of"), std::string::npos) << each.what << ": " << said;
      }
      EXPECT_EQ(said.find("undirected graph") != std::string::npos, each.graph.symmetric) << each.what << ": " << said;
      EXPECT_TRUE(named.empty() || named == said) << each.what << ": " << said;  // whoever looks
      named = said;
    }
  }
}

TEST(Topo, ReadsEachEdgeTwice) {
  const Graph graph = acyclic(1000, 6000, 3);
  Trial trial;
  const TopoOutput found = topo_of(graph, &trial);
  EXPECT_EQ(trial.stats.edges_examined, 2 * graph.num_edges());
  EXPECT_EQ(trial.stats.iterations, *std::ranges::max_element(found.levels) + std::uint64_t{1});
}

TEST(Topo, DescribesLevels) {
  const AnswerData answer(TopoOutput{{0, 1, 1, 2}});
  ASSERT_EQ(answer.scalars.size(), 3u);
  for (const auto& [i, name, value] :
       {std::tuple<std::size_t, std::string, std::uint64_t>{0, "depth", 3}, {1, "widest", 2}, {2, "sum", 4}}) {
    EXPECT_EQ(answer.scalars[i].name, name);
    EXPECT_EQ(std::get<std::uint64_t>(answer.scalars[i].value), value) << name;
  }
}

TEST(Topo, NeedsNoTranspose) {
  Graph graph = acyclic(300, 900, 1);
  graph.in.reset();
  const Opened opened = open(graph, make_arrangement(DeviceKind::cpu, 1, BackendKind::incore, kLayouts[0]), Transpose::leave);
  for (int trial = 0; trial < 2; ++trial) expect_correct(verify::check_topo(graph, topo_of(*opened)), "again in its session");
}

TEST(Topo, CheckFindsAWrongLevel) {
  const Graph graph = acyclic(100, 300, 1);
  TopoOutput found = topo_of(graph);
  EXPECT_TRUE(verify::check_topo(graph, found));
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(found.levels) - found.levels.begin());
  ++found.levels[largest];
  EXPECT_FALSE(verify::check_topo(graph, found));
  found.levels[largest] = kNoVertex;
  EXPECT_FALSE(verify::check_topo(graph, found));
  found.levels.pop_back();
  EXPECT_FALSE(verify::check_topo(graph, found));
  EXPECT_FALSE(verify::check_topo(cycle_with_tail(2), {{0, 1, 0, 0}})) << "no levels are right where there is a cycle";
}

class TopoConformance : public AlgorithmConformance {};

TEST_P(TopoConformance, AgreesWithTheCheck) {
  for (const Graph& graph : {directed_graph("none", 0, {}), directed_graph("apart", 70, {}), long_path(300), sink_graph(),
                             acyclic(1000, 800, 4), acyclic(2000, 30'000, 5)}) {
    const Opened session = open(graph, GetParam());
    expect_correct(verify::check_topo(graph, topo_of(*session)), graph.name);
  }
  const Graph cyclic = random_directed(500, 3000, 6);
  const Opened session = open(cyclic, GetParam());
  EXPECT_THROW(topo_of(*session), UsageError);
}

GR_CONFORMANCE(TopoConformance);

}  // namespace
}  // namespace graphrun::test
