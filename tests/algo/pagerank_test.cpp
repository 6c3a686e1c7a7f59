// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algo/conformance.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::test {
namespace {

constexpr PagerankVariant kVariants[] = {PagerankVariant::extrapolated, PagerankVariant::pull, PagerankVariant::push};

Graph generated(const std::string& spec) {
  ThreadPool pool(1);
  return load_graph(spec, {}, pool).graph;
}

Graph by_degree(Graph&& graph) {
  ThreadPool pool(1);
  return relabel(std::move(graph), VertexOrder::degree, pool);
}

/// Returns the graph with vertex v at place[v] of `n` vertices.
Graph placed(const Graph& graph, const std::string& how, VertexId n, const std::vector<VertexId>& place) {
  std::vector<Arc> arcs;
  for (VertexId u = 0; u < graph.num_vertices(); ++u) {
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e)
      arcs.emplace_back(place[u], place[graph.out.neighbours[e]]);
  }
  return directed_graph(graph.name + how, n, arcs);
}

std::vector<VertexId> same_places(const Graph& graph) {
  std::vector<VertexId> place(graph.num_vertices());
  std::iota(place.begin(), place.end(), VertexId{0});
  return place;
}

/// Returns the graph with its vertices numbered anew at random.
Graph shuffled(const Graph& graph) {
  std::vector<VertexId> place = same_places(graph);
  std::mt19937_64 random(7);
  for (VertexId v = graph.num_vertices(); v > 1; --v) std::swap(place[v - 1], place[random() % v]);
  return placed(graph, " shuffled", graph.num_vertices(), place);
}

struct Ranked {
  PagerankOutput output;
  Trial trial;
};

Ranked ranks_of(const Graph& graph, const PagerankOptions& options, int threads = 2) {
  Ranked found;
  const Arrangement arrangement = make_arrangement(DeviceKind::cpu, threads, BackendKind::incore, kLayouts[0]);
  found.trial = run_pagerank(*open(graph, arrangement), options, &found.output);
  return found;
}

/// By how much an exact iteration changes the ranks, in sum and at most, by a plain loop.
PagerankCertificate residual_of(const Graph& graph, const std::vector<double>& ranks, double damping,
                                const std::vector<std::uint64_t>& restarts) {
  const VertexId n = graph.num_vertices();
  std::vector<double> teleport(n, restarts.empty() ? 1.0 / n : 0.0);
  for (const std::uint64_t v : restarts) teleport[v] = 1.0 / static_cast<double>(restarts.size());
  std::vector<double> next(n, 0.0);
  double dangling = 0;
  for (VertexId u = 0; u < n; ++u) {
    const EdgeId degree = graph.out.degree(u);
    if (degree == 0) dangling += ranks[u];
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e)
      next[graph.out.neighbours[e]] += damping * ranks[u] / static_cast<double>(degree);
  }
  PagerankCertificate found;
  for (VertexId v = 0; v < n; ++v) {
    const double change = std::abs(next[v] + teleport[v] * (1 - damping + damping * dangling) - ranks[v]);
    found.residual += change;
    found.largest = std::max(found.largest, change);
  }
  return found;
}

// A sweep in order of degree began with 5 % too much mass: at scale 18 these took 39, 34 and 36 sweeps then, and the grid 16.
TEST(PagerankSweeps, StayFewWhateverTheOrderOfVertices) {
  if (kThreadSanitized) GTEST_SKIP() << "counts sweeps, for half a minute";
  struct Bound {
    const char* graph;
    std::uint64_t sweeps;
  };
  for (const auto& [name, sweeps] :
       {Bound{"kron:13", 12}, Bound{"urand:13", 6}, Bound{"web:13", 11}, Bound{"grid:512:512", 14}}) {
    const Graph graph = generated(name);
    for (const Graph& same : {graph, by_degree(generated(name)), shuffled(graph)}) {
      // One thread does the same in every run. Two meet each other's new ranks as they come, which costs up to two sweeps.
      for (const int threads : {1, 2}) {
        if (kSanitized && threads == 1) continue;
        const Ranked found = ranks_of(same, {.tolerance = 1e-6, .certify = true}, threads);
        EXPECT_TRUE(found.trial.converged) << same.name;
        EXPECT_LE(found.trial.stats.iterations, threads == 1 ? sweeps : sweeps + 2) << same.name << ", threads " << threads;
      }
    }
  }
}

// Sweeps that counted isolated vertices changed the total of the others: in order of degree this graph took 11.
TEST(PagerankSweeps, StayFewWithIsolatedVertices) {
  if (kThreadSanitized) GTEST_SKIP() << "counts sweeps";
  for (const Graph& graph : {generated("kron:13"), by_degree(generated("kron:13"))}) {
    const Graph more = placed(graph, " and isolated vertices", 8 * graph.num_vertices(), same_places(graph));
    const Ranked found = ranks_of(more, {.tolerance = 1e-4, .certify = true}, 1);
    EXPECT_TRUE(found.trial.converged) << more.name;
    EXPECT_LE(found.trial.stats.iterations, 7) << more.name;
    expect_correct(verify::check_pagerank(more, found.output, 0.85, 1e-4, true, true), more.name);
  }
}

// The total of few others is a small difference of large sums.
TEST(PagerankSweeps, EndWhereNearlyAllVerticesAreIsolated) {
  for (const VertexId joined : {2u, 1000u}) {  // of a million
    std::vector<Arc> cycle;
    for (VertexId v = 0; v < joined; ++v) cycle.emplace_back(v, (v + 1) % joined);
    cycle.emplace_back(0, joined / 2);
    const Graph graph = directed_graph("a cycle with a chord", 1 << 20, cycle);
    const Ranked found = ranks_of(graph, {.tolerance = 1e-11, .certify = true});
    EXPECT_TRUE(found.trial.converged) << joined;
    EXPECT_LE(found.trial.stats.iterations, 60) << joined;
    expect_correct(verify::check_pagerank(graph, found.output, 0.85, 1e-11, true, true), graph.name);
  }
}

// Extrapolations after every fifth sweep threw it back for ever.
TEST(PagerankSweeps, EndWhereExtrapolatingSoonDoesNotHelp) {
  const Graph graph = directed_graph("two loops and a pair", 5, {{2, 2}, {3, 4}, {4, 3}, {2, 1}, {0, 0}});
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    const Ranked found = ranks_of(graph, {.damping = 0.99, .tolerance = tolerance});
    EXPECT_TRUE(found.trial.converged) << tolerance;
    expect_correct(verify::check_pagerank(graph, found.output, 0.99, tolerance, tolerance >= 1e-6, true), graph.name);
  }
}

// The ends of the last vertices to settle have few edges, at which two threads that sweep at once throw each other back.
TEST(PagerankSettling, LeavesNoVertexMoreThanWasAskedFor) {
  for (const char* name : {"kron:11", "urand:11", "web:11", "grid:64:64"}) {
    const Graph graph = generated(name);
    for (const PagerankVariant variant : kVariants) {
      for (const double tolerance : {1e-1, 1e-4, 1e-7}) {
        if (kThreadSanitized && tolerance != 1e-4) continue;
        for (const auto& restarts : {std::vector<std::uint64_t>{}, std::vector<std::uint64_t>{0, 5}}) {
          const Ranked found =
              ranks_of(graph, {.variant = variant, .stop = PagerankStop::largest, .tolerance = tolerance, .restarts = restarts});
          const PagerankCertificate right = residual_of(graph, found.output.ranks, 0.85, restarts);
          EXPECT_TRUE(found.trial.converged) << name << " " << name_of(variant) << " " << tolerance << " " << restarts.size();
          EXPECT_LT(right.largest * graph.num_vertices(), tolerance) << name << ' ' << name_of(variant);
          EXPECT_NEAR(found.output.certificate->largest, right.largest, 1e-15);
        }
      }
    }
  }
}

// What is left of a mesh is near its border. Sweeps to the same residual take 13.
TEST(PagerankSettling, ReadsOnlyTheListsOfWhatIsLeft) {
  const Graph graph = generated("grid:512:512");
  const Ranked found = ranks_of(graph, {.stop = PagerankStop::largest});
  EXPECT_TRUE(found.trial.converged);
  EXPECT_LT(found.trial.stats.edges_examined, 5 * graph.num_edges());
}

TEST(PagerankSettling, EndsAtTheLimitOfIterations) {
  const Graph graph = generated("grid:128:128");
  for (const std::uint64_t most : {1, 3}) {
    const Ranked found = ranks_of(graph, {.stop = PagerankStop::largest, .tolerance = 1e-7, .max_iterations = most});
    EXPECT_FALSE(found.trial.converged);
    EXPECT_EQ(found.trial.stats.iterations, most);
    EXPECT_NEAR(found.output.certificate->largest, residual_of(graph, found.output.ranks, 0.85, {}).largest, 1e-15);
  }
}

TEST(PagerankCertificates, AreTheResidualOfTheRanksThatAreReturned) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    if (graph.num_vertices() == 0) continue;
    const std::uint64_t last = graph.num_vertices() - 1;
    const std::vector<std::uint64_t> some = last == 0 ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{0, last};
    for (const PagerankVariant variant : kVariants) {
      for (const double tolerance : {1e-3, 1e-10}) {
        for (const auto& restarts : {std::vector<std::uint64_t>{}, some}) {
          const Ranked found =
              ranks_of(graph, {.variant = variant, .tolerance = tolerance, .restarts = restarts, .certify = true});
          const PagerankCertificate right = residual_of(graph, found.output.ranks, 0.85, restarts);
          ASSERT_TRUE(found.output.certificate) << shape.name;
          EXPECT_NEAR(found.output.certificate->residual, right.residual, 1e-13) << shape.name << ' ' << name_of(variant);
          EXPECT_NEAR(found.output.certificate->largest, right.largest, 1e-13) << shape.name << ' ' << name_of(variant);
          EXPECT_EQ(found.trial.converged, found.output.residual < tolerance && found.output.certificate->residual < tolerance);
          if (variant == PagerankVariant::extrapolated) {
            EXPECT_TRUE(found.trial.converged) << shape.name;
          }
        }
      }
    }
  }
}

TEST(PagerankCertificates, OfRanksThatTheLimitEndedSayHowFarTheyAre) {
  const Ranked found = ranks_of(karate(), {.tolerance = 1e-12, .max_iterations = 3, .certify = true});
  EXPECT_FALSE(found.trial.converged);
  EXPECT_GT(found.output.certificate->residual, 1e-6);
  EXPECT_LE(found.output.certificate->residual, found.output.residual);
  EXPECT_EQ(found.trial.stats.edges_examined, 4 * karate().num_edges());
  EXPECT_FALSE(ranks_of(karate(), {}).output.certificate);
}

TEST(PagerankCertificates, NeedInEdgesAlsoByPush) {
  Graph graph = random_directed(50, 200, 1);
  graph.in.reset();
  const auto session = open_session(graph, {});
  EXPECT_THROW(run_pagerank(*session, {.variant = PagerankVariant::push, .certify = true}, nullptr), UsageError);
}

TEST(PersonalisedPagerank, RestartsWhereItIsTold) {
  // 0 -> 1, and 1 is dangling: what restarts at 0 gets back all that 1 has.
  const Graph graph = directed_graph("", 2, {{0, 1}});
  for (const PagerankVariant variant : kVariants) {
    const Ranked found = ranks_of(graph, {.variant = variant, .tolerance = 1e-13, .restarts = {0}});
    EXPECT_NEAR(found.output.ranks[0], 1 / 1.85, 1e-12);
    EXPECT_NEAR(found.output.ranks[1], 0.85 / 1.85, 1e-12);
  }
}

TEST(PersonalisedPagerank, IsThatOfTheSerialReference) {
  const Graph graph = random_directed(400, 1500, 3);
  const std::vector<std::uint64_t> restarts = {3, 17, 99};
  const PagerankOutput right = verify::serial_pagerank(graph.out, 0.85, 1e-14, 1000, restarts);
  for (const PagerankVariant variant : kVariants) {
    const Ranked found = ranks_of(graph, {.variant = variant, .tolerance = 1e-13, .restarts = restarts});
    for (VertexId v = 0; v < graph.num_vertices(); ++v) EXPECT_NEAR(found.output.ranks[v], right.ranks[v], 1e-12) << v;
  }
}

TEST(PersonalisedPagerank, LeavesWhatCannotBeReachedAtZero) {
  const Graph graph = two_components();
  const auto levels = verify::serial_bfs_levels(graph.out, 0);
  for (const PagerankVariant variant : kVariants) {
    const Ranked found = ranks_of(graph, {.variant = variant, .restarts = {0}});
    for (VertexId v = 0; v < graph.num_vertices(); ++v) EXPECT_EQ(found.output.ranks[v] > 0, levels[v] != kUnreachedLevel) << v;
  }
}

TEST(PersonalisedPagerank, CountsAVertexOnceAndRefusesWhatIsNone) {
  const Graph graph = karate();
  EXPECT_EQ(ranks_of(graph, {.tolerance = 1e-9, .restarts = {5, 5, 7, 5}}).output.ranks,
            ranks_of(graph, {.tolerance = 1e-9, .restarts = {7, 5}}).output.ranks);
  EXPECT_THROW(ranks_of(graph, {.restarts = {34}}), UsageError);
}

TEST(PersonalisedPagerank, RestartsInProportionToShares) {
  // 0 -> 1 and 2 -> 1; 1 is dangling. What restarts at 0 and 2 is 3 to 1.
  const Graph graph = directed_graph("", 3, {{0, 1}, {2, 1}});
  const Ranked found = ranks_of(graph, {.tolerance = 1e-13, .restarts = {0, 2}, .shares = {3, 1}});
  EXPECT_NEAR(found.output.ranks[0], 0.75 / 1.85, 1e-12);
  EXPECT_NEAR(found.output.ranks[1], 0.85 / 1.85, 1e-12);
  EXPECT_NEAR(found.output.ranks[2], 0.25 / 1.85, 1e-12);
  const double any = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(verify::check_pagerank(graph, found.output, 0.85, 1e-13, false, true, {0, 2}, any, false, {3, 1}));
  EXPECT_FALSE(verify::check_pagerank(graph, found.output, 0.85, 1e-13, false, true, {0, 2}));
}

// nx.pagerank() of these weights: 0 follows its edges 3 to 1, and an edge of weight 0 is not followed.
TEST(WeightedPagerank, FollowsEdgesInProportionToTheirWeights) {
  const std::vector<std::uint32_t> weights = {3, 1, 5, 0};
  const Graph graph = with_weights(directed_graph("", 3, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}), WeightKind::u32,
                                   [&](VertexId, VertexId, EdgeId e) { return weights[e]; });
  const Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]);
  PagerankOutput output;
  run_pagerank(*open(graph, arrangement), {.tolerance = 1e-13, .weighted = true}, &output);
  const std::vector<double> expected = {0.42639008931143, 0.37741284932297, 0.1961970613656};
  for (VertexId v = 0; v < 3; ++v) EXPECT_NEAR(output.ranks[v], expected[v], 1e-10) << v;
}

TEST(PersonalisedPagerank, AtAllVerticesIsTheUsualOne) {
  const Graph graph = random_directed(200, 900, 5);
  std::vector<std::uint64_t> all(graph.num_vertices());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const std::vector<double> usual = ranks_of(graph, {.tolerance = 1e-12}).output.ranks;
  const std::vector<double> same = ranks_of(graph, {.tolerance = 1e-12, .restarts = all}).output.ranks;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) EXPECT_NEAR(same[v], usual[v], 1e-12);
}

}  // namespace
}  // namespace graphrun::test
