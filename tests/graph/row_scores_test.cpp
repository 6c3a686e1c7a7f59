// SPDX-License-Identifier: Apache-2.0
// Scores of rows: by the paper's algorithm 2 line for line, in doubles and in its direction.
#include "graphrun/graph/row_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "graph/naive.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::test {
namespace {

/// A graph as DGL stores it: samples of a vertex are its in-neighbours.
struct PaperGraph {
  std::size_t vertices;
  std::vector<std::pair<VertexId, VertexId>> edges;

  std::size_t in_degree(std::size_t v) const {
    return static_cast<std::size_t>(std::ranges::count_if(edges, [&](const auto& edge) { return edge.second == v; }));
  }
};

/// Min, dissertation, algorithm 2, with its line numbers. Its in-degrees of 0 divide scores that no vertex pulls.
std::vector<double> algorithm_2(const PaperGraph& g, const std::vector<VertexId>& tid, int iter, double damp) {
  const auto num_node = static_cast<double>(g.vertices);
  std::vector<double> score(g.vertices, 1 / num_node);                                             // 4, 5
  const double weight = num_node / static_cast<double>(tid.size());                                // 8
  for (const VertexId v : tid) score[v] *= weight;                                                 // 9, 10
  for (int i = 0; i < iter; ++i) {                                                                 // 12
    for (std::size_t j = 0; j < g.vertices; ++j) score[j] /= static_cast<double>(g.in_degree(j));  // 13, 14
    std::vector<double> pulled(g.vertices, 0);                                                     // 16
    for (const auto& [from, to] : g.edges) pulled[from] += score[to];
    for (std::size_t j = 0; j < g.vertices; ++j) score[j] = (1 - damp) / num_node + damp * pulled[j];  // 17, 18
  }
  return score;
}

/// Random edges with loops, parallel ones, and vertices without any.
PaperGraph random_graph(std::uint64_t seed) {
  PaperGraph graph{20 + number_below(180, splitmix64(seed)), {}};
  const std::size_t edges = number_below(6 * graph.vertices, splitmix64(seed + 1)) + 1;
  for (std::size_t e = 0; e < edges; ++e) {
    const auto end = [&](std::uint64_t which) {
      const double u = unit_interval(splitmix64(seed, e, which));
      return static_cast<VertexId>(static_cast<double>(graph.vertices) * u * u);  // hubs
    };
    graph.edges.emplace_back(end(0), end(1));
  }
  return graph;
}

/// Our arcs lead where samples go, against the paper's edges.
Graph graph_of(const PaperGraph& graph) {
  naive::Arcs arcs;
  for (const auto& [from, to] : graph.edges) arcs.push_back({to, from});
  ThreadPool pool(2);
  return build_graph(naive::list_of(static_cast<VertexId>(graph.vertices), arcs), {}, pool);
}
Csr arcs_of(const PaperGraph& graph) { return graph_of(graph).out; }

std::vector<VertexId> some_starts(const PaperGraph& graph, std::uint64_t seed) {
  std::vector<VertexId> starts;
  for (std::size_t v = 0; v < graph.vertices; ++v) {
    if (splitmix64(seed, v, 7) % 8 == 0) starts.push_back(static_cast<VertexId>(v));
  }
  if (starts.empty()) starts.push_back(0);
  return starts;
}

void expect_scores(const std::vector<std::uint64_t>& ours, const std::vector<double>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t v = 0; v < ours.size(); ++v)
    EXPECT_NEAR(static_cast<double>(ours[v]) / static_cast<double>(kWholeScore), theirs[v], 1e-12) << "vertex " << v;
}

TEST(RowScores, AreThoseOfAlgorithm2) {
  ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PaperGraph graph = random_graph(seed);
    const std::vector<VertexId> starts = some_starts(graph, seed);
    expect_scores(walk_scores(arcs_of(graph), WalkStart::weighted, starts, pool), algorithm_2(graph, starts, 5, 0.85));
  }
}

TEST(RowScores, OfAllVerticesAsStartsAreReversePageRank) {
  ThreadPool pool(1);
  const PaperGraph graph = random_graph(99);
  std::vector<VertexId> all(graph.vertices);
  std::iota(all.begin(), all.end(), VertexId{0});
  const Csr arcs = arcs_of(graph);
  expect_scores(walk_scores(arcs, WalkStart::anywhere, {}, pool), algorithm_2(graph, all, 5, 0.85));
  EXPECT_EQ(walk_scores(arcs, WalkStart::weighted, all, pool), walk_scores(arcs, WalkStart::anywhere, {}, pool));
}

// The choice that was called weighted began and restarted at the starts alone: vertices that they do not reach had no score.
TEST(RowScores, OfWeightedWalksReachWhatNoStartReaches) {
  ThreadPool pool(1);
  const PaperGraph graph{5, {{0, 1}, {3, 4}}};  // a sample of 1 takes 0, one of 4 takes 3
  const Csr arcs = arcs_of(graph);
  const std::vector<VertexId> starts = {1};
  EXPECT_GT(walk_scores(arcs, WalkStart::weighted, starts, pool)[3], 0u);
  const auto personalised = walk_scores(arcs, WalkStart::personalised, starts, pool);
  EXPECT_EQ(personalised[3], 0u);
  EXPECT_GT(personalised[0], 0u);
  EXPECT_EQ(by_descending(personalised).front(), 1u);
}

TEST(RowScores, AreTheSameOnAnyNumberOfThreads) {
  const PaperGraph graph = random_graph(5);
  const Csr arcs = arcs_of(graph);
  ThreadPool one(1), four(4);
  for (const WalkStart start : {WalkStart::anywhere, WalkStart::weighted, WalkStart::personalised}) {
    const auto starts = start == WalkStart::anywhere ? std::vector<VertexId>{} : some_starts(graph, 5);
    EXPECT_EQ(walk_scores(arcs, start, starts, one), walk_scores(arcs, start, starts, four));
  }
  EXPECT_TRUE(walk_scores(Csr{}, WalkStart::anywhere, {}, one).empty());
}

TEST(RowScores, NumberVerticesThatSamplesReadOftenFirst) {
  ThreadPool pool(2);
  const PaperGraph paper = random_graph(12);
  const Graph graph = graph_of(paper);
  const auto before = walk_scores(graph.out, WalkStart::anywhere, {}, pool);
  const Graph renamed = relabel(Graph(graph), VertexOrder::score, pool);
  const auto after = walk_scores(renamed.out, WalkStart::anywhere, {}, pool);
  EXPECT_TRUE(std::ranges::is_sorted(after, std::greater<>()));
  const std::vector<VertexId> order = by_descending(before);
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    EXPECT_EQ(after[v], before[order[v]]);
    EXPECT_EQ(renamed.names.text(v), graph.names.text(order[v]));
    EXPECT_EQ(renamed.out.degree(v), graph.out.degree(order[v]));
  }
}

}  // namespace
}  // namespace graphrun::test
