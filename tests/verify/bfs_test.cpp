// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "graphrun/core/error.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"
#include "verify/bfs_answer.hpp"

namespace graphrun {
namespace {

using test::bfs_answer;
using test::directed_graph;
using verify::check_bfs;

class CheckBfs : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckBfs, AcceptsAnswersAndRejectsEveryChangedLevelAndParent) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  for (VertexId source = 0; source < n || source == 0; source += n / 3 + 1) {
    const BfsOutput right = bfs_answer(graph, source);
    const verify::Verdict verdict = check_bfs(graph, right);
    EXPECT_TRUE(verdict) << verdict.reason;
    for (VertexId v = 0; v < n; v += n / 7 + 1) {
      BfsOutput changed = right;
      changed.levels[v] += 1;  // an unreached vertex becomes a second source
      EXPECT_FALSE(check_bfs(graph, changed)) << v;
      changed = right;
      changed.levels[v] = changed.levels[v] == kUnreachedLevel ? 1 : kUnreachedLevel;
      EXPECT_FALSE(check_bfs(graph, changed)) << v;
      changed = right;
      changed.parents[v] = changed.parents[v] == kNoVertex ? 0 : kNoVertex;
      EXPECT_FALSE(check_bfs(graph, changed)) << v;
      changed = right;
      changed.parents[v] = n;
      EXPECT_FALSE(check_bfs(graph, changed)) << v;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckBfs, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 4, 3 -> 0; 5 -> 0 is not reached.
class CheckBfsReasons : public ::testing::Test {
 protected:
  const Graph graph = directed_graph("", 6, {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 0}, {5, 0}});
  BfsOutput output{0, {0, 0, 0, 1, 2, kNoVertex}, {0, 1, 1, 2, 2, kUnreachedLevel}};
};

TEST_F(CheckBfsReasons, TheUnchangedAnswerIsRight) { EXPECT_TRUE(check_bfs(graph, output)) << check_bfs(graph, output).reason; }

TEST_F(CheckBfsReasons, NamesTheSmallestVertexOfWrongLevel) {
  output.levels[4] = 3;
  output.levels[2] = 7;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 2: level 7, expected level 1");
}

TEST_F(CheckBfsReasons, ReachedButMarkedUnreached) {
  output.levels[3] = kUnreachedLevel;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 3: unreached, expected level 2");
}

TEST_F(CheckBfsReasons, UnreachedButMarkedReached) {
  output.levels[5] = 1;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 5: level 1, expected unreached");
}

TEST_F(CheckBfsReasons, ParentAtTheRightLevelButWithoutAnArc) {
  output.parents[4] = 1;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 4: there is no arc from its parent 1");
}

TEST_F(CheckBfsReasons, ParentWithAnArcInTheOppositeDirectionOnly) {
  output.parents[0] = 3;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 0: parent 3, expected parent 0");
  output.parents = {0, 0, 0, 1, 2, 0};
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 5: parent 0, expected no parent");
}

TEST_F(CheckBfsReasons, ParentCycle) {
  const Graph ring = test::cycle_with_tail(4);
  BfsOutput circle{0, {0, 2, 1, 2, kNoVertex, kNoVertex, kNoVertex, kNoVertex}, verify::serial_bfs_levels(ring.out, 0)};
  EXPECT_EQ(check_bfs(ring, circle).reason, "vertex 1: at level 1, but its parent 2 has level 2");
}

TEST_F(CheckBfsReasons, OwnParentThatIsNotTheSource) {
  output.parents[2] = 2;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 2: at level 1, but its parent 2 has level 1");
}

TEST_F(CheckBfsReasons, ParentThatIsUnreached) {
  output.parents[1] = 5;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 1: at level 1, but its parent 5 is unreached");
}

TEST_F(CheckBfsReasons, ParentThatIsNoVertex) {
  output.parents[1] = 6;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 1: parent 6, but it is at level 1");
}

TEST_F(CheckBfsReasons, WrongSizesAndSources) {
  BfsOutput changed = output;
  changed.levels.pop_back();
  EXPECT_EQ(check_bfs(graph, changed).reason, "5 levels for 6 vertices");
  changed = output;
  changed.parents.clear();
  EXPECT_EQ(check_bfs(graph, changed).reason, "0 parents for 6 vertices");
  changed = output;
  changed.source = 6;
  EXPECT_EQ(check_bfs(graph, changed).reason, "source 6 is not below the number of vertices, 6");
  EXPECT_THROW(verify::serial_bfs_levels(graph.out, 6), UsageError);
}

TEST_F(CheckBfsReasons, RightLevelsOfAnotherSource) {
  output.source = 1;
  EXPECT_FALSE(check_bfs(graph, output));
}

TEST(SerialBfs, LevelsOfShapesThatCanBeCounted) {
  const auto path = verify::serial_bfs_levels(test::path_graph(300).out, 299);
  for (VertexId v = 0; v < 300; ++v) EXPECT_EQ(path[v], 299 - v);
  const auto ring = verify::serial_bfs_levels(test::cycle_with_tail(40).out, 0);
  for (VertexId v = 0; v < 80; ++v) EXPECT_EQ(ring[v], v < 40 ? v : kUnreachedLevel);
}

// "vertex 1" of a file that calls it 2.
TEST(CheckBfsNames, AreThoseOfTheInput) {
  Graph graph = directed_graph("arcs", 3, {{0, 1}, {1, 2}});
  graph.names = VertexNames::consecutive(1);
  BfsOutput output = bfs_answer(graph, 0);
  output.levels[1] = 2;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 2: level 2, expected level 1");
  output = bfs_answer(graph, 0);
  output.parents[2] = 0;
  EXPECT_EQ(check_bfs(graph, output).reason, "vertex 3: at level 2, but its parent 1 has level 0");
}

}  // namespace
}  // namespace graphrun
