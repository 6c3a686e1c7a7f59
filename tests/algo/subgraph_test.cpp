// SPDX-License-Identifier: Apache-2.0
// What subgraphs are made of, below the conformance suite: plans, gathering, and finding pieces of cut lists.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/ops/gather.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

/// Rows with their prefix sum.
struct Plan {
  std::vector<EdgeId> sources;
  std::vector<EdgeId> places{0};

  void add(EdgeId source, EdgeId length) {
    sources.push_back(source);
    places.push_back(places.back() + length);
  }
  PlannedRows rows() const { return {sources.data(), places.data(), sources.size()}; }
};

TEST(Gather, AnyStretchOfAnyPlanIsWhatOneRowAfterTheOtherGives) {
  std::vector<VertexId> edges(500000);
  for (std::size_t e = 0; e < edges.size(); ++e) edges[e] = static_cast<VertexId>(splitmix64(e));
  ThreadPool pool(3);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const EdgeId longest = seed % 5 == 0 ? 4000 : 9;  // more than one worker takes, or less
    Plan plan;
    std::vector<VertexId> expected;
    for (std::uint64_t i = 0, at = 0; i < 200; ++i) {
      const std::uint64_t draw = splitmix64(seed * 1000 + i);
      if (draw % 3 == 0) at = draw / 7 % edges.size();  // else where the row before ended, as neighbouring lists do
      const EdgeId length = std::min<EdgeId>(draw / 3 % 5 * (draw / 15 % longest), edges.size() - at);
      plan.add(at, length);
      for (EdgeId e = at; e < at + length; ++e) expected.push_back(edges[e]);
      at += length;
    }
    for (std::uint64_t i = 0; i < 50; ++i) {
      const EdgeId begin = splitmix64(seed + i) % (expected.size() + 1);
      const EdgeId end = begin + splitmix64(seed * 7 + i) % (expected.size() + 1 - begin);
      std::vector<VertexId> found(end - begin, kNoVertex);
      gather(pool, plan.rows(), begin, end, edges.data(), found.data());
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)))
          << "seed " << seed << ", edges " << begin << " to " << end;
    }
  }
}

TEST(Gather, ReachesEdgesBeyondTheRangeOf32Bits) {
  constexpr EdgeId kFar = (EdgeId{1} << 32) + 12345;
  Column<std::uint8_t> edges;  // one byte each, and only the pages that are touched exist
  try {
    edges = Column<std::uint8_t>::allocate(kFar + 100);
  } catch (const RunError& error) {
    GTEST_SKIP() << error.what();
  }
  for (EdgeId e = 0; e < 100; ++e) edges[kFar + e] = static_cast<std::uint8_t>(e + 1);
  Plan plan;
  plan.add(5, 3);
  plan.add(kFar, 60);
  plan.add(kFar + 60, 40);
  std::vector<std::uint8_t> found(103);
  ThreadPool pool(1);
  gather(pool, plan.rows(), 0, 103, edges.data(), found.data());
  for (int e = 0; e < 103; ++e) ASSERT_EQ(found[static_cast<std::size_t>(e)], e < 3 ? 0 : e - 2) << e;
}

TEST(PlannedRows, SubgraphsTakeAsManyRowsAsThereIsRoomForAndAlwaysOne) {
  Plan plan;
  for (const EdgeId length : {4, 0, 6, 1, 0, 0, 10, 3, 0}) plan.add(0, length);
  const PlannedRows rows = plan.rows();
  EXPECT_EQ(rows.edges(), 24u);
  EXPECT_EQ(rows.rows_within(0, 10), 3u);
  EXPECT_EQ(rows.rows_within(3, 10), 6u);  // empty rows cost nothing
  EXPECT_EQ(rows.rows_within(6, 10), 7u);
  EXPECT_EQ(rows.rows_within(7, 10), 9u);
  EXPECT_EQ(rows.rows_within(6, 5), 7u);
  EXPECT_EQ(rows.rows_within(0, 100), 9u);
}

TEST(Rows, PiecesOfCutListsAreFoundAgain) {
  const Graph graph = random_undirected(300, 9000, 3);
  ThreadPool pool(1);
  for (const EdgeId chunk : {1, 7, 32, 60}) {
    const std::vector<HubChunk> chunks = cut_hubs(graph.out, chunk, pool);
    ASSERT_FALSE(chunks.empty());
    const Rows rows{graph.out.offsets.data(), graph.num_vertices(), chunk, chunks.data(), chunks.size()};
    for (std::uint64_t i = 0; i < chunks.size(); ++i) {
      ASSERT_EQ(rows.hub_index(static_cast<VertexId>(chunks[i].vertex), chunks[i].begin), i) << chunk;
    }
  }
}

TEST(CpuSubgraphs, APlanHasEveryPieceOfAFrontierOnceAndInOrder) {
  const Graph graph = random_undirected(20000, 100000, 5);
  CpuExecutor exec(3);
  const std::vector<HubChunk> chunks = cut_hubs(graph.out, 8, exec.pool());
  const Rows rows{graph.out.offsets.data(), graph.num_vertices(), 8, chunks.data(), chunks.size()};
  SubgraphOptions options;
  options.capacity = 64;
  options.num_vertices = graph.num_vertices();
  options.most_rows = graph.num_vertices() + chunks.size();
  CpuSubgraphs maker(exec, options);
  CpuFrontier frontier(exec, rows);
  frontier.insert_all(exec);
  plan_frontier(exec, maker, rows, frontier);
  const PlannedRows plan = maker.plan();
  ASSERT_EQ(plan.edges(), graph.num_edges());
  // All pieces of all lists in the order of the edge list: each row begins where its place says.
  for (std::uint64_t i = 0; i < plan.count; ++i) {
    if (plan.places[i] == plan.places[i + 1]) continue;
    ASSERT_EQ(plan.sources[i], plan.places[i]) << i;
    ASSERT_LE(plan.places[i + 1] - plan.places[i], 8u) << i;
  }
}

/// A frontier over `n` lists of three edges, marked as the rows of subgraphs mark it.
class MarkedFrontier : public testing::Test {
 protected:
  static constexpr VertexId kVertices = 100000;

  MarkedFrontier() : offsets_(kVertices + 1), exec_(3), frontier_(exec_, rows()) {}
  Rows rows() {
    for (VertexId v = 0; v <= kVertices; ++v) offsets_[v] = 3 * EdgeId{v};
    return {.offsets = offsets_.data(), .num_vertices = kVertices};
  }
  /// Marks the vertices of `marked`, takes the marks of `left` back, and expects the rest.
  void expect_members(const std::vector<VertexId>& marked, const std::vector<VertexId>& left) {
    const BitmapRef bits = frontier_.start_empty_bitmap(exec_);
    std::set<VertexId> expected(marked.begin(), marked.end());
    {
      cpu::Appender joining(frontier_);
      for (const VertexId v : marked) bits.set(v), joining.append(v);
    }
    for (const VertexId v : left) Marks::clear(bits.words, v), expected.erase(v);
    frontier_.finish_marks(exec_);
    ASSERT_EQ(frontier_.size(), expected.size());
    EXPECT_EQ(frontier_.edges(), 3 * expected.size());
    const VertexId* const list = frontier_.list(exec_);
    EXPECT_EQ(std::set<VertexId>(list, list + frontier_.size()), expected);
    for (VertexId v = 0; v < kVertices; ++v) ASSERT_EQ(frontier_.bitmap(exec_).test(v), expected.contains(v)) << v;
  }

  std::vector<EdgeId> offsets_;
  CpuExecutor exec_;
  CpuFrontier frontier_;
};

TEST_F(MarkedFrontier, HasVerticesThatWereMarkedTwiceOnceAndNoneWhoseMarkWasTakenBack) {
  expect_members({5, 99999, 0, 5, 31, 32, 5}, {31});
  expect_members({}, {});
  expect_members({7}, {7});
}

TEST_F(MarkedFrontier, FewAndManyMembersFollowEachOther) {
  std::vector<VertexId> many(kVertices / 2);
  for (VertexId i = 0; i < many.size(); ++i) many[i] = 2 * i;
  for (int again = 0; again < 2; ++again) {
    expect_members({1, 3, 64000}, {});
    expect_members(many, {0, 40000});
    frontier_.insert(exec_, 1);  // whose bit is not set
    expect_members({2}, {});
    frontier_.insert_all(exec_);
  }
}

}  // namespace
}  // namespace graphrun::test
