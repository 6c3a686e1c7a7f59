// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/verify/properties.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/sanitized.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

using test::directed_graph;
using verify::check_pagerank;
using verify::serial_pagerank;
using verify::Verdict;

constexpr double kDamping = 0.85;
constexpr double kTight = 1e-12;

/// What kernels do, which is not what the oracle does: the unscaled system, new values used at once, one scaling at the
/// end. `Score` rounds like a kernel of that precision does.
template <class Score>
PagerankOutput sweep(const Graph& graph, double tolerance, std::uint64_t max_iterations) {
  const Csr& in = *graph.transpose();
  const VertexId n = graph.num_vertices();
  std::vector<Score> ranks(n, 1);
  PagerankOutput output;
  double sum = 0;
  do {
    double change = 0;
    for (VertexId v = 0; v < n; ++v) {
      Score gathered = 0;
      for (EdgeId e = in.offsets[v]; e < in.offsets[v + 1]; ++e) {
        gathered += ranks[in.neighbours[e]] / static_cast<Score>(graph.out.degree(in.neighbours[e]));
      }
      const Score updated = static_cast<Score>(1 - kDamping) + static_cast<Score>(kDamping) * gathered;
      change += std::abs(static_cast<double>(updated) - static_cast<double>(ranks[v]));
      ranks[v] = updated;
    }
    sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
    output.residual = change / sum;
  } while (++output.iterations < max_iterations && output.residual >= tolerance);
  for (const Score rank : ranks) output.ranks.push_back(rank / sum);
  return output;
}

class CheckPagerank : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckPagerank, AcceptsTheReference) {
  const Graph graph = GetParam().make();
  const PagerankOutput output = serial_pagerank(graph.out, kDamping, kTight, 1000);
  EXPECT_LT(output.residual, kTight);
  const Verdict verdict = check_pagerank(graph, output, kDamping, kTight, false, true);
  EXPECT_TRUE(verdict) << verdict.reason;
}

TEST_P(CheckPagerank, AcceptsSweepsOfBothPrecisionsAtEveryTolerance) {
  const Graph graph = GetParam().make();
  if (graph.num_vertices() == 0) return;
  for (const double tolerance : {1e-1, 1e-2, 1e-4, 1e-9}) {
    const PagerankOutput output = sweep<double>(graph, tolerance, 1000);
    const Verdict verdict = check_pagerank(graph, output, kDamping, tolerance, false, true);
    EXPECT_TRUE(verdict) << tolerance << ": " << verdict.reason;
  }
  for (const double tolerance : {1e-1, 1e-2, 1e-4, 1e-6}) {
    const PagerankOutput output = sweep<float>(graph, tolerance, 1000);
    const Verdict verdict = check_pagerank(graph, output, kDamping, tolerance, true, true);
    EXPECT_TRUE(verdict) << tolerance << ": " << verdict.reason;
  }
}

TEST_P(CheckPagerank, AcceptsUnconvergedSweepsAsSuchOnly) {
  const Graph graph = GetParam().make();
  if (graph.num_vertices() == 0) return;
  const PagerankOutput right = serial_pagerank(graph.out, kDamping, kTight, 1000);
  for (const std::uint64_t iterations : {1, 2, 5}) {
    const PagerankOutput output = sweep<double>(graph, 0, iterations);
    const Verdict verdict = check_pagerank(graph, output, kDamping, kTight, false, false);
    EXPECT_TRUE(verdict) << iterations << ": " << verdict.reason;
    // A sweep may have changed nothing but the scale, or have solved an acyclic graph.
    double error = 0;
    for (VertexId v = 0; v < graph.num_vertices(); ++v) error += std::abs(output.ranks[v] - right.ranks[v]);
    if (error > 1e-9) {
      EXPECT_FALSE(check_pagerank(graph, output, kDamping, kTight, false, true)) << iterations;
    }
  }
}

TEST_P(CheckPagerank, RejectsRankMovedFromOneVertexToAnother) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  if (n < 2) return;
  const PagerankOutput right = serial_pagerank(graph.out, kDamping, kTight, 1000);
  for (VertexId v = 0; v < n; v += n / 7 + 1) {
    PagerankOutput changed = right;
    const double moved = right.ranks[v] / 100;
    changed.ranks[v] -= moved;
    changed.ranks[(v + 1) % n] += moved;
    EXPECT_FALSE(check_pagerank(graph, changed, kDamping, kTight, false, true)) << v;
    changed = right;
    changed.ranks[v] += moved;
    EXPECT_FALSE(check_pagerank(graph, changed, kDamping, kTight, false, true)) << v;
  }
}

TEST_P(CheckPagerank, RejectsWhatIsLeftAtOneVertexWhereThatWasAskedFor) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  if (n < 2) return;
  PagerankOutput output = serial_pagerank(graph.out, kDamping, kTight, 1000);
  EXPECT_TRUE(check_pagerank(graph, output, kDamping, 1e-2, false, true, {}, 1e-9));
  output.ranks[0] += 1e-6, output.ranks[1] -= 1e-6;
  EXPECT_TRUE(check_pagerank(graph, output, kDamping, 1e-2, false, true));
  EXPECT_TRUE(check_pagerank(graph, output, kDamping, 1e-2, false, true, {}, 1e-5));
  EXPECT_FALSE(check_pagerank(graph, output, kDamping, 1e-2, false, true, {}, 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckPagerank, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

// 0 -> 1, and 1 is dangling: x0 = 0.075 + 0.425 * x1 and x0 + x1 = 1.
class CheckPagerankReasons : public ::testing::Test {
 protected:
  const Graph graph = directed_graph("", 2, {{0, 1}});
  PagerankOutput output{{0.5 / 1.425, 1 - 0.5 / 1.425}, 1, 0};
  std::string reason(bool converged = true) const {
    return check_pagerank(graph, output, kDamping, kTight, false, converged).reason;
  }
};

TEST_F(CheckPagerankReasons, TheSolvedSystem) {
  EXPECT_EQ(reason(), "");
  const PagerankOutput iterated = serial_pagerank(graph.out, kDamping, kTight, 1000);
  EXPECT_NEAR(iterated.ranks[0], output.ranks[0], 1e-11);
  EXPECT_NEAR(iterated.ranks[1], output.ranks[1], 1e-11);
}

TEST_F(CheckPagerankReasons, DanglingRankThatIsDropped) {
  // What comes of x1 = 0.075 + 0.85 * x0 and x0 = 0.075 when nobody scales it.
  output.ranks = {0.075, 0.075 + 0.85 * 0.075};
  EXPECT_EQ(reason(), "the ranks sum to 0.21375, which is not 1 within 1e-09");
}

TEST_F(CheckPagerankReasons, DanglingRankThatStaysWhereItIs) {
  // x0 = 0.075, x1 = 0.075 + 0.85 * (x0 + x1): the convention of a self loop at dangling vertices.
  output.ranks = {0.075, 0.925};
  EXPECT_EQ(reason().substr(0, 48), "one more iteration changes the ranks by 0.786, m");
}

TEST_F(CheckPagerankReasons, ReportedNumbers) {
  output.certificate = PagerankCertificate{};
  EXPECT_EQ(reason(), "");
  output.residual = 1;
  EXPECT_EQ(reason(), "a run that converged says residual 1, which is not below 1e-12");
  EXPECT_EQ(reason(false), "");
  output.residual = 0;
  output.certificate->largest = 1e-6;
  EXPECT_NE(reason(), "");
  EXPECT_NE(reason(false), "");
  ThreadPool pool(1);
  EXPECT_FALSE(verify::check_pagerank_properties(graph, output, kDamping, kTight, false, true, verify::Passes{pool}));
  output = serial_pagerank(graph.out, kDamping, -1, 3);
  EXPECT_TRUE(verify::check_pagerank_sweeps(graph, output, kDamping, 3));
  output.residual += 1e-6;
  EXPECT_FALSE(verify::check_pagerank_sweeps(graph, output, kDamping, 3));
}

TEST_F(CheckPagerankReasons, SumNotOne) {
  for (double& rank : output.ranks) rank *= 1 + 1e-8;
  EXPECT_NE(reason(), "");
  EXPECT_NE(reason(false), "");
  EXPECT_TRUE(check_pagerank(graph, output, kDamping, kTight, true, true));
}

TEST_F(CheckPagerankReasons, RanksThatAreNoShares) {
  const double right = output.ranks[1];
  for (const bool converged : {true, false}) {
    output.ranks[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(reason(converged), "vertex 1: rank nan");
    output.ranks[1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(reason(converged), "vertex 1: rank inf");
    output.ranks = {1.5, -0.5};
    EXPECT_EQ(reason(converged), "vertex 1: rank -0.5");
    output.ranks = {0, 1};  // less than teleporting alone gives
    EXPECT_EQ(reason(converged).substr(0, 26), "vertex 0: rank 0 is below ");
    output.ranks = {1 - right, right};
  }
}

TEST_F(CheckPagerankReasons, RestartsThatTheRanksDoNotHave) {
  const auto reason_at = [&](const std::vector<std::uint64_t>& restarts) {
    return check_pagerank(graph, output, kDamping, kTight, false, true, restarts).reason;
  };
  EXPECT_EQ(reason_at({0, 1}), "") << "all vertices";
  EXPECT_EQ(reason_at({0}).substr(0, 48), "one more iteration changes the ranks by 0.702, m");
  output.ranks = {1 / 1.85, 0.85 / 1.85};  // vertex 1 hands all it has to the restart
  EXPECT_EQ(reason_at({0}), "");
  EXPECT_EQ(reason_at({0, 0}), "") << "a vertex counts once";
  EXPECT_NE(reason_at({}), "");
  EXPECT_NE(reason_at({1}), "");
  output.ranks = {0, 1};
  EXPECT_EQ(reason_at({0}).substr(0, 26), "vertex 0: rank 0 is below ");
  EXPECT_THROW(reason_at({2}), UsageError);
  const PagerankOutput iterated = serial_pagerank(graph.out, kDamping, kTight, 1000, {0});
  EXPECT_NEAR(iterated.ranks[0], 1 / 1.85, 1e-11);
}

TEST_F(CheckPagerankReasons, WrongSize) {
  output.ranks.push_back(0);
  EXPECT_EQ(reason(), "3 ranks for 2 vertices");
}

TEST_F(CheckPagerankReasons, AnotherDamping) {
  EXPECT_FALSE(check_pagerank(graph, output, 0.5, kTight, false, true));
  EXPECT_FALSE(check_pagerank(graph, output, 0.84, 1e-4, true, true));
}

TEST(CheckPagerankRounding, AHubDoesNotExcuseWhatAnF32LoopLoses) {
  if (test::kThreadSanitized) GTEST_SKIP() << "one thread, for a minute";
  // A million equal f32 terms added one after the other: 1 % of the hub's rank is gone.
  const Graph star = test::star_graph(1'000'001, 0);
  PagerankOutput output = serial_pagerank(star.out, kDamping, 1e-6, 1000);
  EXPECT_TRUE(check_pagerank(star, output, kDamping, 1e-6, true, true));
  const double lost = output.ranks[0] / 100;
  output.ranks[0] -= lost;
  for (VertexId v = 1; v < star.num_vertices(); ++v) output.ranks[v] += lost / 1e6;
  EXPECT_FALSE(check_pagerank(star, output, kDamping, 1e-4, true, true));
}

}  // namespace
}  // namespace graphrun
