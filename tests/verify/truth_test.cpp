// SPDX-License-Identifier: Apache-2.0
// The oracles against results that other programs computed for real graphs.
#include "support/truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/io/load.hpp"
#include "support/digest_of.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/shared.hpp"

namespace graphrun {
namespace {

void expect_bfs(const Csr& csr, VertexId source, const test::BfsTruth& expected) {
  const Digest got = test::digest_of(BfsOutput{source, {}, verify::serial_bfs_levels(csr, source)});
  EXPECT_EQ(got.count("reached"), expected.reached);
  EXPECT_EQ(got.count("max_level"), expected.eccentricity);
  EXPECT_EQ(got.count("sum_levels"), expected.sum_levels);
  EXPECT_EQ(got.checksum, expected.checksum);
}

class OracleTruth : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto datasets = test::shared_datasets();
    if (!datasets) GTEST_SKIP() << "the shared data sets are not here";
    truth = test::read_truth(*datasets, GetParam());
    LoadOptions options;
    options.bipartite = truth.bipartite;
    graph = load_graph((*datasets / "suitesparse" / truth.file).string(), options, pool).graph;
  }

  ThreadPool pool{2};
  test::Truth truth{};
  Graph graph;
};

TEST_P(OracleTruth, Sizes) {
  EXPECT_EQ(graph.num_vertices(), truth.n);
  EXPECT_EQ(graph.num_edges(), truth.m);
  EXPECT_EQ(max_degree_vertex(graph.out, pool), truth.source);
}

TEST_P(OracleTruth, Bfs) {
  expect_bfs(graph.out, truth.source, truth.bfs_directed);
  if (!graph.symmetric) graph = rebuild(std::move(graph), {.symmetrise = true}, pool);
  expect_bfs(graph.out, truth.source, truth.bfs_symmetrised);
}

TEST_P(OracleTruth, Sssp) {
  assign_weights(graph, {.kind = WeightSource::Kind::truth}, pool);
  const Digest got = test::digest_of(SsspOutput{truth.source, verify::serial_sssp(graph, truth.source)});
  EXPECT_EQ(got.count("reached"), truth.sssp_directed.reached);
  EXPECT_EQ(got.number("max_distance"), static_cast<double>(truth.sssp_directed.max_distance));
  EXPECT_EQ(got.number("sum_distances"), static_cast<double>(truth.sssp_directed.sum_distances));
  EXPECT_EQ(got.checksum, truth.sssp_directed.checksum);
}

TEST_P(OracleTruth, Cc) {
  const Digest got = test::digest_of(CcOutput{verify::serial_components(graph.out)});
  EXPECT_EQ(got.count("components"), truth.wcc.count);
  EXPECT_EQ(got.count("largest"), truth.wcc.largest);
}

TEST_P(OracleTruth, Pagerank) {
  const test::PagerankTruth& expected = truth.pagerank;
  const PagerankOutput output = verify::serial_pagerank(graph.out, expected.damping, expected.tolerance, 1000);
  const verify::Verdict verdict = verify::check_pagerank(graph, output, expected.damping, expected.tolerance, false, true);
  EXPECT_TRUE(verdict) << verdict.reason;
  const Digest got = test::digest_of(output);
  EXPECT_NEAR(got.number("sum"), expected.sum, 1e-9);
  ASSERT_EQ(got.top->size(), expected.top.size());
  for (std::size_t i = 0; i < got.top->size(); ++i) {
    EXPECT_NEAR((*got.top)[i].second, expected.top[i].second, test::kScoreTolerance) << i;
    if (expected.min_gap_top11 > test::kScoreTolerance) {
      EXPECT_EQ((*got.top)[i].first, expected.top[i].first) << i;
    }
  }
}

// Symmetric and general, square and rectangular, with loops, parallel arcs, isolated and dangling vertices; meshes, roads,
// social networks and web pages.
const char* const kGraphs[] = {
    "karate", "dolphins", "Tina_AskCal", "GD01_b",           "GD97_b",     "GD98_a",         "bcspwr01",    "cage5", "gent113",
    "ash219", "Erdos971", "jagmesh7",    "enron-multigraph", "netscience", "USAir97",        "minnesota",   "Pd",    "rome99",
    "power",  "yeast",    "wiki-Vote",   "Chem97Zt",         "as20graph",  "p2p-Gnutella06", "delaunay_n12"};

std::string graph_name(const ::testing::TestParamInfo<const char*>& graph) {
  std::string name = graph.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Graphs, OracleTruth, ::testing::ValuesIn(kGraphs), graph_name);

}  // namespace
}  // namespace graphrun
