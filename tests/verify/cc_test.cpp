// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

using test::directed_graph;
using verify::check_cc;
using verify::serial_components;

/// The smallest label spreads along arcs, both ways, until nothing changes.
std::vector<VertexId> spread_labels(const Csr& csr) {
  std::vector<VertexId> labels(csr.num_vertices());
  for (VertexId v = 0; v < labels.size(); ++v) labels[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId u = 0; u < labels.size(); ++u) {
      for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
        VertexId& other = labels[csr.neighbours[e]];
        if (other == labels[u]) continue;
        other = labels[u] = std::min(other, labels[u]);
        changed = true;
      }
    }
  }
  return labels;
}

class CheckCc : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckCc, AgreesWithSpreadingLabels) {
  const Graph graph = GetParam().make();
  const std::vector<VertexId> labels = spread_labels(graph.out);
  EXPECT_EQ(serial_components(graph.out), labels);
  EXPECT_TRUE(check_cc(graph, {labels}));
}

TEST_P(CheckCc, AcceptsAnyMemberAsLabelButRejectsEveryOther) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  const std::vector<VertexId> components = serial_components(graph.out);
  std::vector<VertexId> last(n);
  for (VertexId v = 0; v < n; ++v) last[components[v]] = v;
  std::vector<VertexId> labels(n);
  for (VertexId v = 0; v < n; ++v) labels[v] = last[components[v]];
  EXPECT_TRUE(check_cc(graph, {labels}));
  for (VertexId v = 0; v < n; v += n / 7 + 1) {
    for (VertexId label = 0; label <= n; label += n / 5 + 1) {
      std::vector<VertexId> changed = labels;
      changed[v] = label;
      EXPECT_EQ(check_cc(graph, {changed}).correct, label == labels[v]) << v << " labelled " << label;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckCc, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

// Weak components {0, 3, 4}, {1, 2} and {5}; 3 and 4 hang together only by arcs that lead to 0.
class CheckCcReasons : public ::testing::Test {
 protected:
  const Graph graph = directed_graph("", 6, {{3, 0}, {4, 0}, {2, 1}, {5, 5}});
};

TEST_F(CheckCcReasons, TheRightAnswers) {
  EXPECT_TRUE(check_cc(graph, {{0, 1, 1, 0, 0, 5}}));
  EXPECT_TRUE(check_cc(graph, {{4, 2, 2, 4, 4, 5}}));
}

TEST_F(CheckCcReasons, SplitComponent) {
  EXPECT_EQ(check_cc(graph, {{0, 1, 1, 0, 4, 5}}).reason, "vertex 4: label 4, but vertex 0 of the same component has 0");
}

TEST_F(CheckCcReasons, MergedComponents) {
  EXPECT_EQ(check_cc(graph, {{0, 0, 0, 0, 0, 5}}).reason,
            "vertex 1: label 0 is a vertex of another component (that of 0, not that of 1)");
}

TEST_F(CheckCcReasons, RightPartitionButLabelsOfOthers) {
  EXPECT_EQ(check_cc(graph, {{1, 0, 0, 1, 1, 5}}).reason,
            "vertex 0: label 1 is a vertex of another component (that of 1, not that of 0)");
}

TEST_F(CheckCcReasons, LabelThatIsNoVertex) {
  EXPECT_EQ(check_cc(graph, {{0, 1, 1, 0, 0, 6}}).reason, "vertex 5: label 6 is not below the number of vertices, 6");
  EXPECT_FALSE(check_cc(graph, {{0, 1, 1, kNoVertex, 0, 5}}));
}

TEST_F(CheckCcReasons, WrongSize) { EXPECT_EQ(check_cc(graph, {{0, 1}}).reason, "2 labels for 6 vertices"); }

}  // namespace
}  // namespace graphrun
