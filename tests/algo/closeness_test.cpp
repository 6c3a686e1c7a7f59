// SPDX-License-Identifier: Apache-2.0
// Closeness and harmonic centrality: answers worked out by hand and by NetworkX, estimates, and against the oracle wherever edges
// may be.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

constexpr Closeness kBoth[] = {Closeness::mean, Closeness::harmonic};

ClosenessOutput closeness_of(Session& session, Closeness which, const ClosenessOptions& options) {
  RunOptions asked;
  asked.closeness = asked.harmonic = options;
  AnswerData answer;
  (which == Closeness::mean ? closeness_info() : harmonic_info()).run(session, {}, asked, &answer);
  return *answer.as<ClosenessOutput>();
}

ClosenessOutput closeness_of(const Graph& graph, Closeness which, const ClosenessOptions& options = {}) {
  return closeness_of(*open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1])), which, options);
}

void expect_scores(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], expected[v], 1e-12) << v;
}

TEST(Closeness, IsWhatWasWorkedOutByHand) {
  // 0 -> 1 -> 2 and 3 alone: hops to a vertex count, not those from it.
  const Graph path = directed_graph("path", 4, {{0, 1}, {1, 2}});
  expect_scores(closeness_of(path, Closeness::mean).scores, {0, 1.0 / 3, 2.0 / 3 * (2.0 / 3), 0});
  expect_scores(closeness_of(path, Closeness::harmonic).scores, {0, 1, 1.5, 0});
  // Loops and parallel arcs change nothing.
  const Graph more = directed_graph("more", 4, {{0, 1}, {0, 1}, {1, 1}, {1, 2}, {3, 3}});
  expect_scores(closeness_of(more, Closeness::mean).scores, {0, 1.0 / 3, 2.0 / 3 * (2.0 / 3), 0});
}

// closeness_centrality() and harmonic_centrality() of NetworkX's karate_club_graph().
TEST(Closeness, IsThatOfNetworkX) {
  const auto first = [](std::vector<double> scores) { return scores.resize(4), scores; };
  expect_scores(first(closeness_of(karate(), Closeness::mean).scores), {33.0 / 58, 33.0 / 68, 33.0 / 59, 33.0 / 71});
  expect_scores(first(closeness_of(karate(), Closeness::harmonic).scores), {23.0 + 1.0 / 6, 19.0 + 1.0 / 6, 21, 17.0 + 2.0 / 3});
}

TEST(Closeness, OfAllVerticesAsSourcesIsExact) {
  const Graph graph = random_directed(150, 600, 3);
  std::vector<std::uint64_t> all(graph.num_vertices());
  std::iota(all.begin(), all.end(), 0);
  for (const Closeness which : kBoth)
    EXPECT_EQ(closeness_of(graph, which, {.sources = all}).scores, closeness_of(graph, which).scores);
}

// The sample of Eppstein and Wang's theorem: mean hops within a small share of the diameter. Hoeffding's bound says how likely.
TEST(Closeness, OfASampleIsWithinItsBound) {
  const Graph graph = random_undirected(2000, 16'000, 5);
  const std::vector<double> exact = closeness_of(graph, Closeness::mean).scores;
  std::vector<std::uint64_t> sample;
  for (std::uint64_t v = 3; v < 2000; v += 5) sample.push_back(v);  // 400
  const std::vector<double> estimated = closeness_of(graph, Closeness::mean, {.sources = sample}).scores;
  constexpr double kDiameter = 6, kError = 0.15;  // more with probability 2000 * 2 * exp(-2 * 400 * 0.15^2) < 1e-4
  for (std::size_t v = 0; v < exact.size(); ++v) EXPECT_NEAR(1 / estimated[v], 1 / exact[v], kError * kDiameter) << v;
}

TEST(Closeness, OracleFindsAWrongScore) {
  for (const Closeness which : kBoth) {
    ClosenessOutput found = closeness_of(karate(), which, {.sources = {1, 5, 9}});
    EXPECT_TRUE(verify::check_closeness(karate(), found, which, {1, 5, 9}));
    EXPECT_FALSE(verify::check_closeness(karate(), found, which, {1, 5, 8}));
    EXPECT_FALSE(verify::check_closeness(karate(), found, which, {}));
    found.scores[33] = std::nextafter(found.scores[33], 0);
    EXPECT_FALSE(verify::check_closeness(karate(), found, which, {1, 5, 9}));
  }
}

class ClosenessConformance : public AlgorithmConformance {};

TEST_P(ClosenessConformance, AgreesWithTheOracle) {
  for (const Graph& graph : graphs_and({random_directed(400, 5000, 7)})) {
    const Opened session = open(graph, GetParam());
    const VertexId n = graph.num_vertices();
    for (const Closeness which : kBoth) {
      for (const auto variant : {BfsVariant::direction_optimizing, BfsVariant::push}) {
        ClosenessOptions options{.variant = variant};
        if (n > 200) options.sources = {0, n / 2, n - 1};  // else all
        const ClosenessOutput found = closeness_of(*session, which, options);
        expect_correct(verify::check_closeness(graph, found, which, options.sources), graph.name);
      }
    }
  }
}

GR_CONFORMANCE(ClosenessConformance);

}  // namespace
}  // namespace graphrun::test
