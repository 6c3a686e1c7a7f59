// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

using Pairs = std::vector<std::pair<VertexId, VertexId>>;

Pairs pairs_of(const EdgeList& list) {
  Pairs pairs;
  for (std::size_t i = 0; i < list.sources.size(); ++i) pairs.emplace_back(list.sources[i], list.targets[i]);
  return pairs;
}

Pairs pairs_of(const std::string& spec, int threads = 2) {
  ThreadPool pool(threads);
  return pairs_of(generate(spec, pool));
}

Graph graph_of(const std::string& spec) {
  ThreadPool pool(2);
  return build_graph(generate(spec, pool), {}, pool);
}

std::vector<EdgeId> sorted_degrees(const Graph& graph) {
  std::vector<EdgeId> degrees;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) degrees.push_back(graph.out.degree(v));
  std::sort(degrees.rbegin(), degrees.rend());
  return degrees;
}

class EveryGenerator : public testing::TestWithParam<const char*> {};

TEST_P(EveryGenerator, MakesTheSameEdgesForAnyNumberOfThreads) {
  const Pairs one = pairs_of(GetParam(), 1);
  EXPECT_TRUE(pairs_of(GetParam(), 2) == one);
  EXPECT_TRUE(pairs_of(GetParam(), 7) == one);
}

TEST_P(EveryGenerator, NamesOnlyVerticesThatExistAndSaysEdgesAreUndirected) {
  ThreadPool pool(2);
  const EdgeList list = generate(GetParam(), pool);
  EXPECT_EQ(list.arcs, Arcs::mirror);
  EXPECT_EQ(list.weight_kind, WeightKind::none);
  EXPECT_TRUE(list.weights.empty());
  for (const auto& [u, v] : pairs_of(list)) {
    ASSERT_LT(u, list.num_vertices);
    ASSERT_LT(v, list.num_vertices);
  }
  EXPECT_TRUE(is_generator(GetParam()));
  EXPECT_NE(generator_help().find(std::string(GetParam()).substr(0, 4)), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Specs, EveryGenerator,
                         testing::Values("kron:14:8", "kron:13:8:5", "urand:14:8", "web:14:8", "web:3:7", "grid:700:300",
                                         "path:200000", "star:200000", "complete:600"));

class RandomGenerator : public testing::TestWithParam<const char*> {};

TEST_P(RandomGenerator, HasTheSizeAskedFor) {
  ThreadPool pool(2);
  for (const int scale : {0, 1, 2, 5, 9, 10, 11, 13}) {
    const EdgeList list = generate(std::string(GetParam()) + ":" + std::to_string(scale) + ":3", pool);
    EXPECT_EQ(list.num_vertices, VertexId{1} << scale);
    EXPECT_EQ(list.sources.size(), std::size_t{3} << scale);
    for (const auto& [u, v] : pairs_of(list)) ASSERT_LT(std::max(u, v), list.num_vertices);
  }
}

TEST_P(RandomGenerator, SeedsDifferAndTheFirstIsTheDefault) {
  const std::string spec = std::string(GetParam()) + ":10:4";
  EXPECT_TRUE(pairs_of(spec) == pairs_of(spec + ":1"));
  const Pairs one = pairs_of(spec + ":1");
  const Pairs two = pairs_of(spec + ":2");
  std::size_t same = 0;
  for (std::size_t i = 0; i < one.size(); ++i) same += one[i] == two[i];
  EXPECT_LT(same, one.size() / 100);
}

INSTANTIATE_TEST_SUITE_P(Names, RandomGenerator, testing::Values("kron", "urand", "web"));

TEST(Generate, KronHasHubsAndIsolatedVerticesSpreadOverAllIds) {
  const Graph graph = graph_of("kron:14:16");
  const std::vector<EdgeId> degrees = sorted_degrees(graph);
  const double mean = 32;
  EXPECT_GT(static_cast<double>(degrees[0]), 50 * mean);
  EXPECT_LT(degrees[degrees.size() / 2], 16u);  // most vertices have few
  const auto isolated = std::count(degrees.begin(), degrees.end(), 0u);
  EXPECT_GT(isolated, 1000);
  EXPECT_LT(isolated, 8000);
  const auto half =
      std::accumulate(degrees.begin(), degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 20), EdgeId{0});
  EXPECT_GT(half, graph.num_edges() / 3);  // the top twentieth owns more than a third
  const VertexId n = graph.num_vertices();
  for (VertexId quarter = 0; quarter < 4; ++quarter) {  // ids are permuted: unpermuted, the first quarter would have 58 %
    const double share = static_cast<double>(graph.out.offsets[(quarter + 1) * (n / 4)] - graph.out.offsets[quarter * (n / 4)]) /
                         static_cast<double>(graph.num_edges());
    EXPECT_GT(share, 0.15);
    EXPECT_LT(share, 0.40);
  }
}

// Sums over all levels of the R-MAT recursion: the expected number of self loops is m * (A + D)^scale.
TEST(Generate, KronFollowsItsQuadrants) {
  const Pairs pairs = pairs_of("kron:4:65536");
  std::size_t loops = 0;
  for (const auto& [u, v] : pairs) loops += u == v;
  const double wanted = 0.62 * 0.62 * 0.62 * 0.62;  // .57 + .05 a level
  EXPECT_NEAR(static_cast<double>(loops) / static_cast<double>(pairs.size()), wanted, 0.003);
  std::vector<std::size_t> by_source(16, 0);
  for (const auto& [u, v] : pairs) ++by_source[u];
  std::sort(by_source.rbegin(), by_source.rend());
  EXPECT_NEAR(static_cast<double>(by_source[0]) / static_cast<double>(pairs.size()), 0.76 * 0.76 * 0.76 * 0.76, 0.003);
  EXPECT_NEAR(static_cast<double>(by_source[15]) / static_cast<double>(pairs.size()), 0.24 * 0.24 * 0.24 * 0.24, 0.001);
}

TEST(Generate, UrandIsUniform) {
  const std::vector<EdgeId> degrees = sorted_degrees(graph_of("urand:14:16"));
  EXPECT_LT(degrees[0], 32u * 3);
  EXPECT_GT(degrees.back(), 0u);
}

TEST(Generate, WebHasAHubOfAFifthAndMostlyShortEdges) {
  ThreadPool pool(2);
  const EdgeList list = generate("web:16:16", pool);
  const double n = 65536;
  std::size_t near = 0;
  for (const auto& [u, v] : pairs_of(list)) near += (u > v ? u - v : v - u) <= 1024;
  const double share = static_cast<double>(near) / static_cast<double>(list.sources.size());
  EXPECT_GT(share, 0.79);
  EXPECT_LT(share, 0.84);
  const std::vector<EdgeId> degrees = sorted_degrees(graph_of("web:16:16"));
  EXPECT_GT(static_cast<double>(degrees[0]), 0.15 * n);
  EXPECT_LT(static_cast<double>(degrees[0]), 0.25 * n);
  EXPECT_GT(degrees[10], 10 * 32u);  // a tail, not one outlier
  EXPECT_LT(degrees[degrees.size() / 2], 32u);
  EXPECT_GT(degrees.back(), 0u);
}

TEST(Generate, GridJoinsNeighboursOnce) {
  const Graph graph = graph_of("grid:5:3");
  EXPECT_EQ(graph.num_vertices(), 15u);
  EXPECT_EQ(graph.num_edges(), 2u * (4 * 3 + 5 * 2));
  for (VertexId y = 0; y < 3; ++y) {
    for (VertexId x = 0; x < 5; ++x) {
      std::vector<VertexId> wanted;
      const VertexId v = y * 5 + x;
      if (y > 0) wanted.push_back(v - 5);
      if (x > 0) wanted.push_back(v - 1);
      if (x < 4) wanted.push_back(v + 1);
      if (y < 2) wanted.push_back(v + 5);
      const VertexId* list = graph.out.neighbours.data() + graph.out.offsets[v];
      EXPECT_EQ(std::vector<VertexId>(list, list + graph.out.degree(v)), wanted) << v;
    }
  }
  EXPECT_EQ(pairs_of("grid:1:4"), (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(pairs_of("grid:4:1"), (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(graph_of("grid:1:1").num_vertices(), 1u);
}

TEST(Generate, SmallShapes) {
  EXPECT_EQ(pairs_of("path:3"), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(pairs_of("star:4"), (Pairs{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(pairs_of("complete:4"), (Pairs{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}));
  for (const char* spec : {"path:1", "star:1", "complete:1"}) {
    const Graph graph = graph_of(spec);
    EXPECT_EQ(graph.num_vertices(), 1u) << spec;
    EXPECT_EQ(graph.num_edges(), 0u) << spec;
  }
}

TEST(Generate, CompleteJoinsEveryPairOnce) {
  const Pairs pairs = pairs_of("complete:100");
  EXPECT_EQ(pairs.size(), 4950u);
  EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), 4950u);
}

TEST(Generate, OnlyNamesWithAColonAreGenerators) {
  EXPECT_TRUE(is_generator("kron:x"));
  EXPECT_TRUE(is_generator("KRON:1:2"));
  for (const char* spec : {"", "kron", "kronos:1:2", "graph.mtx", "a/kron:1:2", ":kron"}) {
    EXPECT_FALSE(is_generator(spec)) << spec;
    ThreadPool pool(1);
    EXPECT_THROW(generate(spec, pool), UsageError) << spec;
  }
}

// Of Graph500 and GAP, whose users leave it out.
TEST(Generate, TheEdgeFactorIs16UnlessGiven) {
  for (const std::string name : {"kron", "urand", "web"}) EXPECT_EQ(pairs_of(name + ":5"), pairs_of(name + ":5:16:1")) << name;
}

TEST(Generate, RefusesWhatCannotBeNamingTheSpecAndItsForm) {
  ThreadPool pool(1);
  const std::vector<std::string> specs = {"kron:",
                                          "kron:4:",
                                          "kron:4:x",
                                          "kron:4:4:1:1",
                                          "kron:-1:4",
                                          "kron:4:0",
                                          "kron:4:4:",
                                          "kron:4.5:4",
                                          "kron: 4:4",
                                          "kron:64:1",
                                          "urand:99:1",
                                          "web:5:18446744073709551615",
                                          "grid:3",
                                          "grid:0:3",
                                          "grid:3:0",
                                          "grid:4294967296:4294967296",
                                          "grid:3:3:3",
                                          "path:0",
                                          "path:",
                                          "star:18446744073709551615",
                                          "star:99999999999999999999999",
                                          "complete:0",
                                          "complete:18446744073709551614"};
  for (const std::string& spec : specs) {
    try {
      generate(spec, pool);
      ADD_FAILURE() << spec << " was accepted";
    } catch (const WideIdsError& error) {
      EXPECT_EQ(kVertexBits, 32) << error.what();
      EXPECT_NE(std::string(error.what()).find("'" + spec + "'"), std::string::npos) << error.what();
    } catch (const UsageError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("'" + spec + "'"), std::string::npos) << text;
      EXPECT_NE(text.find("write " + spec.substr(0, spec.find(':') + 1)), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace graphrun
