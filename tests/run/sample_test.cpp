// SPDX-License-Identifier: Apache-2.0
// Neighbour samples: the same from every device, backend and number of threads, of edges that there are, drawn as often as they
// should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graphrun.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

std::string in_words(const Sampling& what) {
  return std::string(what.weighted ? "weighted" : "uniform") + (what.replace ? ", with replacement" : "");
}

/// Each way to draw `fanouts` from vertices here and there.
std::vector<Sampling> each_way(const Graph& graph, std::vector<std::uint32_t> fanouts) {
  std::vector<Sampling> ways;
  for (const bool weighted : {false, true}) {
    for (const bool replace : {false, true}) {
      Sampling& what = ways.emplace_back(Sampling{.fanouts = fanouts, .seed = 11, .replace = replace, .weighted = weighted});
      for (VertexId v = 0; v < graph.num_vertices(); v += 97) what.starts.push_back(v);
    }
  }
  return ways;
}

void expect_same(const Sample& one, const Sample& other) {
  ASSERT_EQ(one.vertices, other.vertices);
  EXPECT_EQ(one.counts, other.counts);
  ASSERT_EQ(one.hops.size(), other.hops.size());
  for (std::size_t h = 0; h < one.hops.size(); ++h) {
    EXPECT_EQ(one.hops[h].sources, other.hops[h].sources);
    EXPECT_EQ(one.hops[h].targets, other.hops[h].targets);
    EXPECT_EQ(one.hops[h].source_places, other.hops[h].source_places);
    EXPECT_EQ(one.hops[h].target_places, other.hops[h].target_places);
  }
}

/// That it could have been drawn: each edge is there as often as it was drawn, and as many as the fanout and the list allow.
void expect_drawn_from(const Graph& graph, const Sampling& what, const Sample& sample) {
  std::set<VertexId> distinct(sample.vertices.begin(), sample.vertices.end());
  EXPECT_EQ(distinct.size(), sample.vertices.size());
  ASSERT_EQ(sample.counts.size(), what.fanouts.size() + 1);
  for (std::size_t h = 0; h < what.fanouts.size(); ++h) {
    const SampledHop& hop = sample.hops[h];
    std::map<VertexId, std::map<VertexId, std::uint64_t>> drawn;
    for (std::size_t i = 0; i < hop.sources.size(); ++i) {
      ++drawn[hop.sources[i]][hop.targets[i]];
      ASSERT_EQ(sample.vertices[hop.source_places[i]], hop.sources[i]);
      ASSERT_EQ(sample.vertices[hop.target_places[i]], hop.targets[i]);
      ASSERT_LT(hop.source_places[i], sample.counts[h]);
      ASSERT_LT(hop.target_places[i], sample.counts[h + 1]);
    }
    for (std::size_t place = 0; place < sample.counts[h]; ++place) {
      const VertexId u = sample.vertices[place];
      std::map<VertexId, std::uint64_t> there;
      std::uint64_t degree = 0;
      for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
        const bool counts = !what.weighted || graph.out.weights.empty() || graph.out.weights[e] != 0;
        degree += counts ? 1 : 0;
        if (counts) ++there[graph.out.neighbours[e]];
      }
      std::uint64_t count = 0;
      for (const auto& [v, times] : drawn[u]) {
        ASSERT_TRUE(there.contains(v)) << u << " -> " << v;
        ASSERT_TRUE(what.replace || times <= there[v]) << u << " -> " << v;
        count += times;
      }
      const std::uint64_t fanout = what.fanouts[h];
      ASSERT_EQ(count, degree != 0 && what.replace ? fanout : std::min(degree, fanout)) << u;
    }
  }
}

Graph weighted_kron() {
  Graph graph = open("kron:11:8");
  graph.weight_kind = WeightKind::u32;
  graph.out.weights = Column<std::uint32_t>::allocate(graph.num_edges());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) graph.out.weights[e] = static_cast<std::uint32_t>(splitmix64(e) % 7);
  return graph;
}

class SampleOver : public ::testing::TestWithParam<BackendKind> {};

TEST_P(SampleOver, IsTheSameForAllThreadsBackendsAndDevices) {
  const Graph graph = weighted_kron();
  Engine plain(graph, {.backend = "incore", .device = "cpu", .threads = 1});
  std::vector<std::string> devices = {"cpu"};
  if (kGpusRunAll && why_no_cuda(0).empty() && GetParam() != BackendKind::incore) devices.push_back("cuda");
  for (const std::string& device : devices) {
    // Lists are cut into pieces of 64 edges here and of 4096 there.
    const char* cache = device != "cpu" ? "1MiB" : kVertexBits == 32 ? "256KiB" : "512KiB";
    try {
      Engine engine(graph,
                    {.backend = name_of(GetParam()), .device = device, .cache = cache, .threads = 3, .more = {{"chunk", "64"}}});
      for (const Sampling& what : each_way(graph, {7, 3, 2})) {
        SCOPED_TRACE(in_words(what) + ", " + device);
        const Sample expected = plain.run(what).values();
        expect_drawn_from(graph, what, expected);
        for (int again = 0; again < 2; ++again) {
          const auto drawn = engine.run(what);
          expect_same(drawn.values(), expected);
          EXPECT_EQ(drawn.trial().stats.iterations, 3u);
        }
      }
    } catch (const UnavailableError& error) {
      GTEST_SKIP() << error.what();
    }
  }
}

TEST_P(SampleOver, IsTheSameOverRanks) {
  const Graph graph = weighted_kron();
  Engine plain(graph, {.backend = "incore", .device = "cpu", .threads = 1});
  std::vector<std::pair<std::string, std::string>> ranks = {{"cpu", "2"}, {"cpu", "3"}};
  if (kGpusRunAll && why_no_cuda(0).empty()) ranks.emplace_back("cuda:0,0", "2");
  if (kGpusRunAll && why_no_cuda(1).empty()) ranks.emplace_back("cuda:0-1", "2");
  std::map<std::string, std::string> more;
  if (GetParam() == BackendKind::subway) more["subway-variant"] = "sync";
  for (const auto& [device, count] : ranks) {
    more["ranks"] = count;
    try {
      Engine engine(graph, {.backend = name_of(GetParam()),
                            .device = device,
                            .cache = kVertexBits == 32 ? "1MiB" : "2MiB",
                            .threads = 3,
                            .more = more});
      for (const Sampling& what : each_way(graph, {7, 3, 2})) {
        SCOPED_TRACE(in_words(what) + ", " + device + ", ranks " + count);
        if (what.weighted) {
          EXPECT_NE(refusal([&] { engine.run(what); }).find("by weight, are drawn by one rank"), std::string::npos);
        } else {
          expect_same(engine.run(what).values(), plain.run(what).values());
        }
      }
    } catch (const UnavailableError& error) {
      GTEST_SKIP() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, SampleOver,
                         ::testing::Values(BackendKind::incore, BackendKind::emogi, BackendKind::uvm, BackendKind::bam,
                                           BackendKind::gpuvm, BackendKind::subway),
                         [](const auto& backend) { return std::string(name_of(backend.param)); });

constexpr VertexId kLike = 20000;  ///< vertices with the same list

/// kLike vertices, each with edges of these weights to the vertices behind them, in turn.
Graph alike(const std::vector<std::uint32_t>& weights, WeightKind kind = WeightKind::u32) {
  const auto degree = static_cast<VertexId>(weights.size());
  Graph graph;
  graph.name = "alike";
  graph.out.offsets = Column<EdgeId>::allocate(kLike + degree + 1);
  graph.out.neighbours = Column<VertexId>::allocate(std::size_t{kLike} * degree);
  graph.out.weights = Column<std::uint32_t>::allocate(std::size_t{kLike} * degree);
  graph.weight_kind = kind;
  for (VertexId v = 0; v <= kLike + degree; ++v) graph.out.offsets[v] = EdgeId{std::min(v, kLike)} * degree;
  for (EdgeId e = 0; e < graph.out.neighbours.size(); ++e) {
    graph.out.neighbours[e] = kLike + static_cast<VertexId>(e % degree);
    const std::uint32_t weight = weights[e % degree];
    graph.out.weights[e] = kind == WeightKind::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(weight) / 8) : weight;
  }
  return graph;
}

Sample of_all_alike(const Graph& graph, Sampling what, const std::string& chunk = "4096") {
  for (VertexId v = 0; v < kLike; ++v) what.starts.push_back(v);
  return Engine(graph, {.backend = "incore", .device = "cpu", .threads = 2, .more = {{"chunk", chunk}}}).run(what).values();
}

/// Returns the chi-squared statistic of `seen`.
double distance_from(const std::vector<double>& expected, const std::vector<double>& seen) {
  double sum = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  return sum;
}

std::vector<double> times_drawn(const Sample& sample, std::size_t degree) {
  std::vector<double> times(degree);
  for (const VertexId v : sample.hops[0].targets) ++times[v - kLike];
  return times;
}

/// Returns the draws of each pair of 4 edges.
std::vector<double> pairs_drawn(const Sample& sample) {
  std::map<std::pair<VertexId, VertexId>, double> pairs;
  for (VertexId a = 0; a < 4; ++a)
    for (VertexId b = a + 1; b < 4; ++b) pairs[{a, b}] = 0;
  const auto& targets = sample.hops[0].targets;
  for (std::size_t i = 0; i < targets.size(); i += 2) ++pairs[std::minmax(targets[i] - kLike, targets[i + 1] - kLike)];
  std::vector<double> times;
  for (const auto& [pair, count] : pairs) times.push_back(count);
  return times;
}

// Limits are passed once in a thousand seeds.
constexpr double kLimit5 = 20.5;
constexpr double kLimit19 = 43.8;

TEST(SampleDistribution, UniformEdgesAreEquallyLikely) {
  const Graph graph = alike(std::vector<std::uint32_t>(20, 1));
  const double expected = kLike * 5 / 20.0;
  for (const bool replace : {false, true}) {
    const auto times = times_drawn(of_all_alike(graph, {.fanouts = {5}, .seed = 3, .replace = replace}), 20);
    const double distance = distance_from(std::vector<double>(20, expected), times);
    EXPECT_LT(replace ? distance : distance * 19 / 15, kLimit19) << replace;
  }
  const Graph small = alike({1, 1, 1, 1});
  EXPECT_LT(distance_from(std::vector<double>(6, kLike / 6.0), pairs_drawn(of_all_alike(small, {.fanouts = {2}}))), kLimit5);
}

// So many draws at a vertex are made in one pass over its list.
TEST(SampleDistribution, ManyOfAListAreEquallyLikely) {
  constexpr VertexId kVertices = 700;
  constexpr std::uint32_t kDraws = 600;
  Sampling what{.fanouts = {kDraws}, .seed = 4};
  for (VertexId v = 0; v < kVertices; ++v) what.starts.push_back(v);
  const Sample sample = Engine(complete_graph(kVertices), {.backend = "incore", .device = "cpu"}).run(what).values();
  std::vector<double> times(kVertices);
  const SampledHop& hop = sample.hops[0];
  ASSERT_EQ(hop.targets.size(), std::size_t{kVertices} * kDraws);
  for (std::size_t i = 0; i < hop.targets.size(); ++i) {
    ++times[hop.targets[i]];
    if (i % kDraws == 0) continue;
    ASSERT_LT(hop.targets[i - 1], hop.targets[i]) << "drawn twice, or out of order";
  }
  const double left_out = 1 - double{kDraws} / (kVertices - 1);
  const double distance = distance_from(std::vector<double>(kVertices, kDraws), times) / left_out;
  EXPECT_NEAR(distance, kVertices - 1, 3.3 * std::sqrt(2.0 * (kVertices - 1)));
}

TEST(SampleDistribution, EdgesAreDrawnAsTheirWeightsSay) {
  std::vector<std::uint32_t> weights;
  std::vector<double> expected;
  for (std::uint32_t i = 1; i <= 20; ++i) weights.push_back(i * i);
  for (const std::uint32_t weight : weights) expected.push_back(kLike * 5.0 * weight / 2870);
  for (const WeightKind kind : {WeightKind::u32, WeightKind::f32}) {
    const Sampling what{.fanouts = {5}, .seed = 5, .replace = true, .weighted = true};
    const Sample whole = of_all_alike(alike(weights, kind), what);
    EXPECT_LT(distance_from(expected, times_drawn(whole, 20)), kLimit19);
    expect_same(of_all_alike(alike(weights, kind), what, "4"), whole);  // in five pieces
  }
}

// Without replacement the second edge is one of those that are left, by their weights.
TEST(SampleDistribution, PairsAreDrawnOneAfterTheOther) {
  const std::vector<std::uint32_t> weights = {1, 2, 3, 10};
  std::vector<double> expected;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      const double one = weights[a];
      const double other = weights[b];
      expected.push_back(kLike * (one / 16 * other / (16 - one) + other / 16 * one / (16 - other)));
    }
  }
  const Sample sample = of_all_alike(alike(weights), {.fanouts = {2}, .seed = 2, .weighted = true});
  EXPECT_LT(distance_from(expected, pairs_drawn(sample)), kLimit5);
}

TEST(Sample, HopsAndSeedsDrawAnew) {
  Engine engine(complete_graph(60), {.backend = "incore", .device = "cpu"});
  const auto first_targets = [&](std::uint64_t seed) { return engine.run(Sampling{{7}, {4}, seed}).values().hops[0].targets; };
  EXPECT_EQ(first_targets(1), first_targets(1));
  EXPECT_NE(first_targets(1), first_targets(2));
  const Sample twice = engine.run(Sampling{{7}, {4, 4}}).values();
  const auto& again = twice.hops[1].targets;
  EXPECT_NE(twice.hops[0].targets, std::vector<VertexId>(again.begin(), again.begin() + 4));
}

// The engine may have other weights by then, of another kind.
TEST(Sample, IsByTheGraphsOwnWeightsAlsoAfterOthers) {
  const Graph graph = alike({1, 0, 0, 3}, WeightKind::f32);
  Engine engine(graph, {.backend = "incore", .device = "cpu"});
  engine.run(Sssp{.source = 1, .weights = "unit"});
  const Sample sample = engine.run(Sampling{.starts = {5}, .fanouts = {4}, .weighted = true}).values();
  EXPECT_EQ(sample.hops[0].targets, (std::vector<VertexId>{kLike, kLike + 3}));
}

TEST(Sample, WeightsThatAreNoneAreRefused) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -1.0f}) {
    Graph graph = alike({8, 8}, WeightKind::f32);
    graph.out.weights[1] = std::bit_cast<std::uint32_t>(bad);
    Engine engine(graph, {.backend = "incore", .device = "cpu"});
    const Sampling what{.starts = {0}, .fanouts = {1}, .weighted = true};
    EXPECT_NE(refusal([&] { engine.run(what); }).find("not negative"), std::string::npos) << bad;
  }
}

TEST(Sample, OfLittleIsLittle) {
  const Graph graph = undirected_graph("two_and_one", 3, {{0, 1}});
  Engine engine(graph, {.backend = "subway", .device = "cpu"});
  for (const bool weighted : {false, true}) {
    const Sample nothing = engine.run(Sampling{.fanouts = {2, 2}, .weighted = weighted}).values();
    EXPECT_TRUE(nothing.vertices.empty() && nothing.hops[1].sources.empty());
    const Sample lone = engine.run(Sampling{.starts = {2, 2}, .fanouts = {2}, .replace = true, .weighted = weighted}).values();
    EXPECT_EQ(lone.vertices, std::vector<VertexId>{2});
    EXPECT_EQ(lone.hops[0].sources.size(), 0u);
    const Sample whole = engine.run(Sampling{.starts = {1}, .fanouts = {kMostFanout, 1}, .weighted = weighted}).values();
    EXPECT_EQ(whole.vertices, (std::vector<VertexId>{1, 0}));
    EXPECT_EQ(whole.hops[1].targets, (std::vector<VertexId>{0, 1}));
  }
  EXPECT_EQ(engine.run(Sampling{.starts = {1}}).values().counts, std::vector<std::size_t>{1});
}

TEST(Sample, WhatCannotBeDrawnIsOneSentence) {
  const Graph graph = path_graph(9);
  Engine engine(graph, {.backend = "incore", .device = "cpu"});
  EXPECT_NE(refusal([&] { engine.run(Sampling{{9}, {1}}); }).find("vertex 9 is not in the graph"), std::string::npos);
  EXPECT_NE(refusal([&] { engine.run(Sampling{{1}, {2, 0}}); }).find("from 1 to 65536, not 0"), std::string::npos);
  EXPECT_NE(refusal([&] { engine.run(Sampling{{1}, {65537}}); }).find("not 65537"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
