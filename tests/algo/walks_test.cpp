// SPDX-License-Identifier: Apache-2.0
// Random walks: walks worked out by hand, frequencies beside node2vec's probabilities, and the serial walker wherever edges may
// be.
#include "graphrun/algorithms/walks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

WalksOutput walks_of(Session& session, const WalksOptions& options) {
  RunOptions asked;
  asked.walks = options;
  AnswerData answer;
  walks_info().run(session, {}, asked, &answer);
  return *answer.as<WalksOutput>();
}

WalksOutput walks_of(const Graph& graph, const WalksOptions& options) {
  return walks_of(*open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1])), options);
}

TEST(Walks, EndWhereThereIsNoWayOn) {
  const WalksOutput found = walks_of(directed_graph("path", 4, {{0, 1}, {1, 2}}), {.length = 3});
  const VertexId none = kNoVertex;
  EXPECT_EQ(found.vertices, (std::vector<VertexId>{0, 1, 2, 3, 1, 2, none, none, 2, none, none, none, none, none, none, none}));
  EXPECT_EQ(found.visits, (std::vector<std::uint64_t>{1, 2, 3, 1}));
  EXPECT_EQ(found.steps, 3u);
  EXPECT_EQ(found.dead_ends, 4u);
}

TEST(Walks, BeginAtTheirSources) {
  const WalksOutput found = walks_of(karate(), {.sources = {33, 5}, .length = 4, .per_source = 3});
  EXPECT_EQ(found.walks, 6u);
  EXPECT_EQ(std::vector<VertexId>(found.vertices.begin(), found.vertices.begin() + 6),
            (std::vector<VertexId>{33, 33, 33, 5, 5, 5}));
  EXPECT_EQ(found.steps, 24u);
}

TEST(Walks, DependOnTheSeedAlone) {
  const WalksOptions options{.length = 10, .p = 0.5, .q = 2};
  const WalksOutput found = walks_of(karate(), options);
  EXPECT_EQ(walks_of(karate(), options).vertices, found.vertices);
  WalksOptions other = options;
  other.seed = 2;
  EXPECT_NE(walks_of(karate(), other).vertices, found.vertices);
  // A walk keeps its course when others are left out.
  WalksOptions first = options;
  first.sources = {0, 1, 2};
  const WalksOutput three = walks_of(karate(), first);
  for (std::uint64_t step = 0; step <= 10; ++step) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(three.vertices[step * 3 + i], found.vertices[step * 34 + i]);
  }
}

/// Returns sum of (found - expected)^2 / expected over the third vertices of walks, by their first and second, and the degrees of
/// freedom.
std::pair<double, int> chi_square(const Graph& graph, const WalksOptions& options) {
  const WalksOutput found = walks_of(graph, options);
  std::map<std::pair<VertexId, VertexId>, std::map<VertexId, double>> counts;
  for (std::uint64_t step = 1; step < options.length; ++step) {
    for (std::size_t i = 0; i < found.walks; ++i) {
      const auto at = [&](std::uint64_t s) { return found.vertices[s * found.walks + i]; };
      ++counts[{at(step - 1), at(step)}][at(step + 1)];
    }
  }
  double sum = 0;
  int freedom = 0;
  for (const auto& [pair, next] : counts) {
    const auto& [t, v] = pair;
    const auto list = [&](VertexId u) { return graph.out.neighbours.span().subspan(graph.out.offsets[u], graph.out.degree(u)); };
    std::map<VertexId, double> expected;
    double all = 0, samples = 0;
    for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
      const VertexId x = graph.out.neighbours[e];
      const bool adjacent = std::ranges::find(list(t), x) != list(t).end();
      const double weight = options.weighted ? graph.weight_of(graph.out.weights[e]) : 1;
      const double biased = weight * (x == t ? 1 / options.p : adjacent ? 1 : 1 / options.q);
      expected[x] += biased;
      all += biased;
    }
    for (const auto& [x, count] : next) samples += count;
    for (const auto& [x, share] : expected) {
      const double mean = samples * share / all;
      const auto at = next.find(x);
      const double seen = at == next.end() ? 0 : at->second;
      sum += (seen - mean) * (seen - mean) / mean;
    }
    freedom += static_cast<int>(expected.size()) - 1;
  }
  return {sum, freedom};
}

// The sum has mean `freedom` and variance twice that; five deviations are passed once in a million.
TEST(Walks, HaveTheProbabilitiesOfNode2vec) {
  Graph graph = undirected_graph("house", 6, {{0, 1}, {0, 2}, {0, 4}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}});
  for (const bool weighted : {false, true}) {
    if (weighted) {
      ThreadPool pool(1);
      assign_weights(graph, {.kind = WeightSource::Kind::random}, pool);
    }
    for (const auto& [p, q] : {std::pair(1.0, 1.0), std::pair(0.25, 4.0), std::pair(4.0, 0.25), std::pair(3.0, 1.0)}) {
      const WalksOptions options{.length = 100, .per_source = 2000, .p = p, .q = q, .weighted = weighted};
      const auto [sum, freedom] = chi_square(graph, options);
      EXPECT_GT(freedom, 15);
      EXPECT_LT(sum, freedom + 5 * std::sqrt(2.0 * freedom)) << p << ' ' << q << ' ' << weighted;
    }
  }
}

TEST(Walks, OracleFindsAWrongStep) {
  const WalksOptions options{.length = 6, .p = 2};
  WalksOutput found = walks_of(karate(), options);
  EXPECT_TRUE(verify::check_walks(karate(), found, options));
  ++found.dead_ends;
  EXPECT_FALSE(verify::check_walks(karate(), found, options));
  --found.dead_ends;
  ++found.visits[3];
  EXPECT_FALSE(verify::check_walks(karate(), found, options));
  --found.visits[3];
  found.vertices[100] = found.vertices[100] == 0 ? 1 : 0;
  EXPECT_FALSE(verify::check_walks(karate(), found, options));
}

TEST(Walks, RefuseToLookUpInListsThatDoNotAscend) {
  Graph graph = karate();
  std::swap(graph.out.neighbours.data()[0], graph.out.neighbours.data()[1]);
  EXPECT_NO_THROW(walks_of(graph, {.length = 2}));
  EXPECT_THROW(walks_of(graph, {.length = 2, .q = 2}), UsageError);
}

bool ascends(const Graph& graph) {
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (!std::ranges::is_sorted(graph.out.neighbours.span().subspan(graph.out.offsets[v], graph.out.degree(v)))) return false;
  }
  return true;
}

class WalksConformance : public ::testing::TestWithParam<Arrangement> {};

TEST_P(WalksConformance, AgreesWithTheSerialWalker) {
  const bool on_gpu = GetParam().options.device.kind == DeviceKind::cuda;
  const std::string missing = on_gpu ? why_no_cuda(0) : what_lacks(GetParam());
  if (!missing.empty()) GTEST_SKIP() << missing;
  if (on_gpu && !kGpusRunAll) GTEST_SKIP() << "GPUs do not run it with 64-bit ids";
  std::vector<Graph> graphs;
  for (const Shape& shape : all_shapes()) graphs.push_back(shape.make());
  graphs.push_back(random_directed(400, 5000, 7));
  const bool one_rank = GetParam().options.ranks == 1 && GetParam().options.device.others.empty();
  for (const char* const name : {"hub", "random_directed"}) {
    const auto graph = std::ranges::find(graphs, name, &Graph::name);
    if (one_rank) std::ranges::move(weighted(Graph(*graph), GetParam()), std::back_inserter(graphs));
  }
  for (const Graph& graph : graphs) {
    const Opened session = open(graph, GetParam());
    for (const double q : {1.0, 0.5}) {
      if (q != 1 && !ascends(graph)) continue;
      const bool by_weight = graph.weight_kind != WeightKind::none;
      const WalksOptions options{.length = 5, .per_source = 2, .p = 1 / q, .q = q, .seed = 9, .weighted = by_weight};
      expect_correct(verify::check_walks(graph, walks_of(*session, options), options), graph.name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, WalksConformance, ::testing::ValuesIn(cpu_arrangements()), arrangement_name);
INSTANTIATE_TEST_SUITE_P(Ranks, WalksConformance, ::testing::ValuesIn(ranks_arrangements()), arrangement_name);
INSTANTIATE_TEST_SUITE_P(Cuda, WalksConformance, ::testing::ValuesIn(cuda_arrangements()), arrangement_name);
INSTANTIATE_TEST_SUITE_P(CudaRanks, WalksConformance, ::testing::ValuesIn(cuda_ranks_arrangements()), arrangement_name);

}  // namespace
}  // namespace graphrun::test
