// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/graph.hpp"

#include <gtest/gtest.h>

#include "graph/naive.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun {
namespace {

Csr csr_of(VertexId n, const naive::Arcs& arcs, int threads = 2) {
  ThreadPool pool(threads);
  return build_graph(naive::list_of(n, arcs), {}, pool).out;
}

TEST(CheckCsr, FindsEachKindOfDamage) {
  ThreadPool pool(2);
  const naive::Arcs arcs = {{0, 1}, {0, 2}, {1, 2}, {3, 0}};
  const auto damaged = [&](auto&& damage) {
    Csr csr = csr_of(4, arcs);
    damage(csr);
    EXPECT_THROW(check_csr(csr, "it", pool), DataError);
  };
  EXPECT_NO_THROW(check_csr(csr_of(4, arcs), "it", pool));
  damaged([](Csr& csr) { csr.offsets = {}; });
  damaged([](Csr& csr) { csr.offsets[0] = 1; });
  damaged([](Csr& csr) { csr.offsets[4] = 3; });
  damaged([](Csr& csr) { csr.offsets[2] = 1; });
  damaged([](Csr& csr) { csr.neighbours[2] = 4; });
  damaged([](Csr& csr) { csr.weights = Column<std::uint32_t>::allocate(3); });
}

TEST(MaxDegreeVertex, TakesTheSmallestIdOfTheLongestLists) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    naive::Arcs arcs;
    for (const VertexId hub : {199999u, 150000u, 100000u}) arcs.insert(arcs.end(), 3, {hub, 1});
    arcs.push_back({0, 1});
    EXPECT_EQ(max_degree_vertex(csr_of(200000, arcs), pool), 100000u);
    EXPECT_EQ(max_degree_vertex(csr_of(3, {}), pool), 0u);
  }
}

TEST(CutHubs, PiecesCoverExactlyTheListsLongerThanAChunk) {
  ThreadPool pool(2);
  naive::Arcs arcs;
  const auto list = [&](VertexId u, int degree) { arcs.insert(arcs.end(), static_cast<std::size_t>(degree), {u, 0}); };
  list(1, 3), list(2, 4), list(3, 5), list(5, 8), list(6, 9);
  const Csr csr = csr_of(8, arcs);
  const std::vector<HubChunk> chunks = cut_hubs(csr, 4, pool);
  const Rows rows{csr.offsets.data(), csr.num_vertices(), 4, chunks.data(), chunks.size()};
  std::vector<EdgeId> covered(8, 0);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const WorkItem item = rows.hub_item(i);
    EXPECT_EQ(item.begin, csr.offsets[item.vertex] + covered[item.vertex]);
    EXPECT_LE(item.end - item.begin, 4u);
    covered[item.vertex] += item.end - item.begin;
  }
  EXPECT_EQ(covered, (std::vector<EdgeId>{0, 0, 0, 5, 0, 8, 9, 0}));
  EXPECT_EQ(chunks.size(), 2u + 2u + 3u);
  EXPECT_TRUE(cut_hubs(csr, kUncut, pool).empty());
}

}  // namespace
}  // namespace graphrun
