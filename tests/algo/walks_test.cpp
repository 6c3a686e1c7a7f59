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
  if (kSanitized) GTEST_SKIP() << "counts steps, for half a minute";
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

// At a leaf the only candidate is the vertex before: its bias of one in a million rejected a million of them.
TEST(Walks, TakeAnOnlyEdgeWhateverItsBias) {
  for (const bool by_weight : {false, true}) {
    Graph graph = undirected_graph("pair", 2, {{0, 1}});
    if (by_weight) graph = with_weights(std::move(graph), WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 5u; });
    const WalksOptions options{.length = 1000, .p = 1e6, .weighted = by_weight};
    const WalksOutput found = walks_of(graph, options);
    EXPECT_EQ(found.visits, (std::vector<std::uint64_t>{1001, 1001}));
    expect_correct(verify::check_walks(graph, found, options), graph.name);
  }
}

// Products wrapped around before anything was allocated, and 0 was a divisor.
TEST(Walks, RefuseNumbersThatCannotBeCounted) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63, kMost = ~std::uint64_t{0};
  for (const WalksOptions& options : {WalksOptions{.length = 2, .per_source = 0}, WalksOptions{.length = 2, .per_source = kHalf},
                                      WalksOptions{.length = kMost}, WalksOptions{.length = kHalf - 1}})
    EXPECT_THROW(walks_of(karate(), options), UsageError) << options.length << ' ' << options.per_source;
}

// A null array of weights was read.
TEST(Walks, ByWeightNeedWeightsInTheSession) {
  EXPECT_THROW(walks_of(karate(), {.length = 2, .weighted = true}), UsageError);
  Graph graph = with_weights(karate(), WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 1u; });
  SessionOptions without = make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]).options;
  EXPECT_THROW(walks_of(*open_session(graph, without), {.length = 2, .weighted = true}), UsageError);
}

// A look-up in a hub's list took an item for each piece of it, all at once: here some 500,000.
TEST(Walks, LookUpNeighboursOfHubs) {
  constexpr VertexId kRim = 3000;
  std::vector<Arc> arcs;
  for (VertexId v = 1; v <= kRim; ++v) {
    const VertexId next = v % kRim + 1;
    arcs.insert(arcs.end(), {{0, v}, {v, 0}, {v, next}, {next, v}});
  }
  std::ranges::sort(arcs);  // so lists ascend
  const Graph wheel = directed_graph("wheel", kRim + 1, arcs);
  const Opened session = open(wheel, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  RunOptions asked;
  asked.walks = {.sources = {0}, .length = 3, .per_source = 2000, .q = 2};
  AnswerData answer;
  const Trial trial = walks_info().run(*session, {}, asked, &answer);
  expect_correct(verify::check_walks(wheel, *answer.as<WalksOutput>(), asked.walks), wheel.name);
  EXPECT_LE(trial.stats.edges_examined, 2 * 2 * 2000 * trial.stats.iterations);  // two draws and questions each
}

// A pass over the edges drew one candidate a walker: the last of 65,536 walkers took some 34 passes a step.
TEST(Walks, DrawSeveralCandidatesInAPass) {
  Graph graph = random_undirected(20'000, 160'000, 4);
  for (VertexId v = 0; v < graph.num_vertices(); ++v)
    std::sort(graph.out.neighbours.data() + graph.out.offsets[v], graph.out.neighbours.data() + graph.out.offsets[v + 1]);
  const Opened session = open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]));
  RunOptions asked;
  asked.walks = {.length = 6, .p = 0.5, .q = 2};
  AnswerData answer;
  const Trial trial = walks_info().run(*session, {}, asked, &answer);
  expect_correct(verify::check_walks(graph, *answer.as<WalksOutput>(), asked.walks), graph.name);
  EXPECT_LE(trial.stats.iterations, 6 * 6u);
}

bool ascends(const Graph& graph) {
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (!std::ranges::is_sorted(graph.out.neighbours.span().subspan(graph.out.offsets[v], graph.out.degree(v)))) return false;
  }
  return true;
}

class WalksConformance : public AlgorithmConformance {};

TEST_P(WalksConformance, AgreesWithTheSerialWalker) {
  std::vector<Graph> graphs = graphs_and({random_directed(400, 5000, 7)});
  const bool one_rank = GetParam().options.ranks == 1 && GetParam().options.device.others.empty();
  for (const char* const name : {"hub", "random_directed"}) {
    const auto graph = std::ranges::find(graphs, name, &Graph::name);
    if (one_rank) std::ranges::move(weighted(Graph(*graph), GetParam()), std::back_inserter(graphs));
  }
  for (const Graph& graph : graphs) {
    const Opened session = open(graph, GetParam());
    for (const double q : {1.0, 0.5}) {
      const bool by_weight = graph.weight_kind != WeightKind::none;
      const WalksOptions options{.length = 5, .per_source = 2, .p = 1 / q, .q = q, .seed = 9, .weighted = by_weight};
      if (options.biased() && !ascends(graph)) {
        EXPECT_THROW(walks_of(*session, options), UsageError) << graph.name;
        continue;
      }
      expect_correct(verify::check_walks(graph, walks_of(*session, options), options), graph.name);
    }
  }
}

GR_CONFORMANCE(WalksConformance);

}  // namespace
}  // namespace graphrun::test
