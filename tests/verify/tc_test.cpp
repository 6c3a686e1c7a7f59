// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>

#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

using verify::check_tc;
using verify::serial_triangles;

/// Three vertices at a time, over the edges as pairs.
std::uint64_t triangles_of(const Csr& csr) {
  std::set<std::pair<VertexId, VertexId>> arcs;
  for (VertexId u = 0; u < csr.num_vertices(); ++u) {
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) arcs.emplace(u, csr.neighbours[e]);
  }
  std::uint64_t count = 0;
  for (const auto& [u, v] : arcs) {
    for (VertexId w = v + 1; u < v && w < csr.num_vertices(); ++w) count += arcs.contains({u, w}) && arcs.contains({v, w});
  }
  return count;
}

class CheckTc : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckTc, AgreesWithThreeLoops) {
  const Graph graph = GetParam().make();
  if (!graph.symmetric) {
    EXPECT_FALSE(check_tc(graph, {0}));
    return;
  }
  if (graph.num_vertices() > 1000) return;
  const std::uint64_t expected = triangles_of(graph.out);
  EXPECT_EQ(serial_triangles(graph.out), expected);
  EXPECT_TRUE(check_tc(graph, {expected}));
  EXPECT_FALSE(check_tc(graph, {expected + 1}));
  EXPECT_FALSE(check_tc(graph, {expected - 1}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckTc, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

TEST(SerialTriangles, OfGraphsWhoseNumberIsKnown) {
  EXPECT_EQ(serial_triangles(test::karate().out), 45u);
  EXPECT_EQ(serial_triangles(test::complete_graph(40).out), 40u * 39 * 38 / 6);
  EXPECT_EQ(serial_triangles(test::parallel_edges_graph().out), 12u * 11 * 10 / 6 + 1);
  EXPECT_EQ(serial_triangles(test::hub_graph().out), 4999u);
}

}  // namespace
}  // namespace graphrun
