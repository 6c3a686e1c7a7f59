// SPDX-License-Identifier: Apache-2.0
// Centralities by power iteration: answers worked out by hand and by NetworkX, and against the oracle wherever edges may be.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "algo/conformance.hpp"
#include "algorithms/algorithm.hpp"

namespace graphrun::test {
namespace {

constexpr Centrality kCentralities[] = {Centrality::hits, Centrality::eigenvector, Centrality::katz};

struct Scored {
  CentralityOutput output;
  Trial trial;
};

Scored scores_of(Session& session, Centrality which, const CentralityOptions& options) {
  const AlgorithmInfo& info = which == Centrality::hits   ? hits_info()
                              : which == Centrality::katz ? katz_info()
                                                          : eigenvector_info();
  RunOptions asked;
  asked.hits = asked.eigenvector = asked.katz = options;
  AnswerData answer;
  const Trial trial = info.run(session, {}, asked, &answer);
  return {*answer.as<CentralityOutput>(), trial};
}

Scored scores_of(const Graph& graph, Centrality which, const CentralityOptions& options = {}) {
  return scores_of(*open(graph, make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1])), which, options);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double most = 1e-9) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], expected[v], most) << v;
}

TEST(Centralities, AreThoseThatWereWorkedOutByHand) {
  const CentralityOptions exact{.tolerance = 1e-13};
  const Graph star = star_graph(4, 0);  // the largest eigenvalue is the root of 3
  const double ends = 1 / std::sqrt(6.0);
  expect_near(scores_of(star, Centrality::eigenvector, exact).output.scores, {1 / std::sqrt(2.0), ends, ends, ends});
  // Two hubs point to 2, and one of them to 3.
  const Graph hubs = directed_graph("hubs", 4, {{0, 2}, {1, 2}, {1, 3}});
  const double golden = (1 + std::sqrt(5.0)) / 2;
  const CentralityOutput hits = scores_of(hubs, Centrality::hits, exact).output;
  expect_near(hits.scores, {0, 0, golden / (1 + golden), 1 / (1 + golden)});
  expect_near(hits.hubs, {1 / (1 + golden), golden / (1 + golden), 0, 0});
  // Walks that end at a vertex of a path: 1, 1 + a, 1 + a + a^2.
  const Graph path = directed_graph("path", 3, {{0, 1}, {1, 2}});
  const CentralityOutput katz = scores_of(path, Centrality::katz, {.attenuation = 0.5, .tolerance = 1e-13}).output;
  const double norm = std::sqrt(1 + 2.25 + 1.75 * 1.75);
  expect_near(katz.scores, {1 / norm, 1.5 / norm, 1.75 / norm});
  EXPECT_NEAR(katz.norm, norm, 1e-12);
  EXPECT_EQ(katz.iterations, 4u);
}

// eigenvector_centrality(), katz_centrality() and hits() of NetworkX's karate_club_graph(), without weights.
TEST(Centralities, AreThoseOfNetworkX) {
  const auto first = [](std::vector<double> scores) { return scores.resize(4), scores; };
  const CentralityOptions exact{.tolerance = 1e-12};
  const Graph graph = karate();
  expect_near(first(scores_of(graph, Centrality::eigenvector, exact).output.scores),
              {0.355491444525, 0.265959919552, 0.317192504486, 0.211179720378});
  expect_near(first(scores_of(graph, Centrality::katz, {.attenuation = 0.1, .tolerance = 1e-12}).output.scores),
              {0.321324621912, 0.235484274833, 0.265765919737, 0.194913214879});
  const CentralityOutput hits = scores_of(graph, Centrality::hits, exact).output;
  expect_near(first(hits.scores), {0.0714127288083, 0.0534272312355, 0.0637190645564, 0.0424227371247});
  expect_near(first(hits.hubs), {0.0714127288083, 0.0534272312355, 0.0637190645564, 0.0424227371247});
}

TEST(Centralities, EndByToleranceOrLimit) {
  for (const Centrality which : kCentralities) {
    const Scored ended = scores_of(karate(), which, {.tolerance = 1e-13, .max_iterations = 2});
    EXPECT_FALSE(ended.trial.converged);
    EXPECT_EQ(ended.output.iterations, 2u);
    const Scored found = scores_of(karate(), which, {.tolerance = 1e-6});
    EXPECT_TRUE(found.trial.converged);
    EXPECT_LT(found.output.residual, 1e-6);
    EXPECT_EQ(found.trial.stats.edges_examined, found.output.iterations * 156 * (which == Centrality::hits ? 2 : 1));
  }
}

// Its sums grow beyond all numbers, and went on to the limit of iterations.
TEST(Centralities, OfTooLittleAttenuationEndWithoutALimit) {
  const Scored found = scores_of(complete_graph(60), Centrality::katz, {.attenuation = 0.9, .max_iterations = 1'000'000});
  EXPECT_FALSE(found.trial.converged);
  EXPECT_LT(found.output.iterations, 1000u);
  EXPECT_EQ(found.output.attenuation, 0.9);
  EXPECT_NE(katz_info().why_not_converged(RunOptions{}, AnswerData(found.output)).find("--damping 0.9"), std::string::npos);
}

// With an attenuation of 0.1 the sums of large graphs have no limit.
TEST(Centralities, KatzConvergesUnlessAnAttenuationIsNamed) {
  const CentralityOutput complete = scores_of(complete_graph(60), Centrality::katz).output;
  EXPECT_EQ(complete.attenuation, 0.9 / 59);
  EXPECT_NEAR(complete.norm, 10 * std::sqrt(60.0), 1e-5);  // each sum is 1 / (1 - 0.9)
  const Graph path = directed_graph("path", 3, {{0, 1}, {1, 2}});
  EXPECT_EQ(scores_of(path, Centrality::katz).output.attenuation, 0.9);
  EXPECT_EQ(scores_of(directed_graph("none", 2, {}), Centrality::katz).output.attenuation, 0.9);
}

TEST(Centralities, OracleFindsWrongScoresAndNumbers) {
  const Graph graph = karate();
  for (const Centrality which : kCentralities) {
    const CentralityOptions options;
    CentralityOutput found = scores_of(graph, which, options).output;
    EXPECT_TRUE(verify::check_centrality(graph, found, options, true));
    found.scores[5] *= 1 + 1e-6;
    EXPECT_FALSE(verify::check_centrality(graph, found, options, true));
    found.scores[5] /= 1 + 1e-6;
    EXPECT_FALSE(verify::check_centrality(graph, found, options, false));  // it did converge
    for (double CentralityOutput::*number :
         {&CentralityOutput::residual, &CentralityOutput::norm, &CentralityOutput::attenuation}) {
      if (found.*number == 0) continue;
      CentralityOutput said = found;
      said.*number *= 1.5;
      EXPECT_FALSE(verify::check_centrality(graph, said, options, true));
    }
    --found.iterations;
    EXPECT_FALSE(verify::check_centrality(graph, found, options, true));
  }
}

class CentralityConformance : public AlgorithmConformance {};

TEST_P(CentralityConformance, AgreesWithTheOracle) {
  const CentralityOptions options{.attenuation = 0.01, .max_iterations = 40};
  for (const Graph& graph : graphs_and({random_directed(400, 5000, 7), random_undirected(700, 2100, 8)})) {
    const Opened session = open(graph, GetParam());
    for (const Centrality which : kCentralities) {
      const Scored found = scores_of(*session, which, options);
      expect_correct(verify::check_centrality(graph, found.output, options, found.trial.converged), graph.name);
    }
  }
}

GR_CONFORMANCE(CentralityConformance);
GR_CONFORMANCE_OF(CentralityConformance, CudaPacked, packed_arrangements_of_cuda);

}  // namespace
}  // namespace graphrun::test
