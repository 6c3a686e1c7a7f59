// SPDX-License-Identifier: Apache-2.0
// Counts about lists, compared with naive ones.
#include "graphrun/graph/statistics.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "graph/naive.hpp"

namespace graphrun {
namespace {

using naive::Arc;

/// The same one vertex and one pair at a time.
ListStatistics naive_statistics(const Csr& csr) {
  ListStatistics all;
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    std::set<VertexId> distinct;
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const VertexId u = csr.neighbours[e];
      if (u == v) ++all.self_loops;
      if (!distinct.insert(u).second) ++all.duplicates;
      if (e > csr.offsets[v] && csr.neighbours[e - 1] > u) all.sorted = false;
    }
    const EdgeId degree = csr.degree(v);
    if (degree == 0) ++all.empty_lists;
    if (degree > all.max_degree) all.max_degree = degree;
    std::size_t bits = 0;
    for (EdgeId left = degree; left != 0; left /= 2) ++bits;
    ++all.lists_by_degree_bits[bits];
  }
  return all;
}

VertexId naive_isolated(const Csr& csr) {
  std::set<VertexId> touched;
  for (const Arc& arc : naive::arcs_of(csr)) {
    touched.insert(arc.u);
    touched.insert(arc.v);
  }
  return csr.num_vertices() - static_cast<VertexId>(touched.size());
}

void expect_same(const ListStatistics& seen, const ListStatistics& wanted) {
  EXPECT_EQ(seen.max_degree, wanted.max_degree);
  EXPECT_EQ(seen.empty_lists, wanted.empty_lists);
  EXPECT_EQ(seen.self_loops, wanted.self_loops);
  EXPECT_EQ(seen.duplicates, wanted.duplicates);
  EXPECT_EQ(seen.sorted, wanted.sorted);
  EXPECT_EQ(seen.lists_by_degree_bits, wanted.lists_by_degree_bits);
}

/// In memory and through windows of a few edges, with one thread and with more.
void expect_right_everywhere(const Graph& graph) {
  const std::string scratch = std::filesystem::temp_directory_path().string();
  for (const Workspace& space : {Workspace{}, Workspace::on_disk(scratch, 1), Workspace::on_disk(scratch, 5000)}) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << space.memory_bytes() << " bytes, " << threads << " threads");
      ThreadPool pool(threads);
      expect_same(examine_lists(graph.out, pool, space), naive_statistics(graph.out));
      EXPECT_EQ(count_isolated(graph, pool, space), naive_isolated(graph.out));
    }
  }
}

Graph graph_of(VertexId n, const naive::Arcs& arcs, Arcs meaning = Arcs::directed, const BuildOptions& options = {}) {
  ThreadPool pool(1);
  return build_graph(naive::list_of(n, arcs, meaning), options, pool);
}

TEST(Statistics, OfSmallGraphs) {
  expect_right_everywhere(graph_of(0, {}));
  expect_right_everywhere(graph_of(1, {}));
  expect_right_everywhere(graph_of(1, {{0, 0}, {0, 0}}));
  expect_right_everywhere(graph_of(64, {{63, 0}}));
  expect_right_everywhere(graph_of(65, {{64, 64}}));
  expect_right_everywhere(graph_of(129, {}));
}

TEST(Statistics, SayWhatTheyMean) {
  ThreadPool pool(2);
  // Lists 0: 2 1 1, 1: none, 2: 2, 3: 0 0 0 0, 4: none.
  const Graph graph =
      graph_of(5, {{0, 2}, {0, 1}, {0, 1}, {2, 2}, {3, 0}, {3, 0}, {3, 0}, {3, 0}}, Arcs::directed, {.sort_lists = false});
  const ListStatistics lists = examine_lists(graph.out, pool);
  EXPECT_EQ(lists.max_degree, 4u);
  EXPECT_EQ(lists.empty_lists, 2u);
  EXPECT_EQ(lists.self_loops, 1u);
  EXPECT_EQ(lists.duplicates, 4u);
  EXPECT_FALSE(lists.sorted);
  EXPECT_EQ(lists.lists_by_degree_bits[0], 2u);
  EXPECT_EQ(lists.lists_by_degree_bits[1], 1u);
  EXPECT_EQ(lists.lists_by_degree_bits[2], 1u);
  EXPECT_EQ(lists.lists_by_degree_bits[3], 1u);
  EXPECT_EQ(count_isolated(graph, pool), 1u);  // 1 is only pointed at
}

TEST(Statistics, OfRandomGraphs) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const VertexId n = seed * 37;
    const naive::Arcs arcs = naive::random_arcs(n, std::size_t{seed} * seed * 40, seed, WeightKind::none);
    expect_right_everywhere(graph_of(n, arcs));
    expect_right_everywhere(graph_of(n, arcs, Arcs::directed, {.sort_lists = false}));
    expect_right_everywhere(graph_of(n, arcs, Arcs::mirror));
    expect_right_everywhere(graph_of(n * 50, arcs));  // most vertices have none
  }
}

// More vertices than a thread takes at a time, the only list out of order among the last.
TEST(Statistics, OfManyLists) {
  constexpr VertexId kVertices = 20000;
  naive::Arcs arcs;
  for (VertexId v = 0; v < kVertices; ++v) {
    if (v % 3 != 0) arcs.push_back({v, v / 2});
  }
  expect_right_everywhere(graph_of(kVertices, arcs, Arcs::directed, {.sort_lists = false}));
  arcs.push_back({kVertices - 1, 5});
  const Graph graph = graph_of(kVertices, arcs, Arcs::directed, {.sort_lists = false});
  EXPECT_FALSE(naive_statistics(graph.out).sorted);
  expect_right_everywhere(graph);
}

// What the opposite of every arc says of isolated vertices, the arcs say themselves.
TEST(Statistics, IsolatedVerticesOfASymmetricGraphHaveNoList) {
  ThreadPool pool(2);
  Graph graph = graph_of(100, {{3, 4}, {50, 50}, {99, 0}}, Arcs::mirror);
  EXPECT_EQ(count_isolated(graph, pool), 95u);
  graph.symmetric = false;
  EXPECT_EQ(count_isolated(graph, pool), 95u);
}

}  // namespace
}  // namespace graphrun
