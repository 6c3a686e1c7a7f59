// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "support/digest_of.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

using verify::check_bc;
using verify::serial_bc;

/// Hops between all pairs, and shortest paths of that length, by repeated relaxation.
struct AllPairs {
  std::vector<std::vector<std::uint64_t>> hops;
  std::vector<std::vector<double>> paths;
};

AllPairs all_pairs(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  constexpr auto kFar = std::numeric_limits<std::uint64_t>::max() / 4;
  AllPairs all{{n, std::vector<std::uint64_t>(n, kFar)}, {n, std::vector<double>(n, 0.0)}};
  for (VertexId s = 0; s < n; ++s) {
    all.hops[s][s] = 0;
    all.paths[s][s] = 1;
    for (std::uint64_t step = 1; step < n; ++step) {
      for (VertexId u = 0; u < n; ++u) {
        if (all.hops[s][u] != step - 1) continue;
        for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
          const VertexId v = csr.neighbours[e];
          if (all.hops[s][v] < step) continue;
          all.hops[s][v] = step;
          all.paths[s][v] += all.paths[s][u];
        }
      }
    }
  }
  return all;
}

/// The dependency of v on s by its definition: over all t, the share of shortest paths from s to t that lead through v. That of
/// the source itself, which GAP counts, is how many vertices are reached.
double dependency(const AllPairs& all, VertexId s, VertexId v) {
  double sum = 0;
  for (VertexId t = 0; t < all.hops.size(); ++t) {
    const bool on_the_way = t != v && all.paths[s][t] > 0 && all.paths[v][t] > 0 && all.paths[s][v] > 0 &&
                            all.hops[s][v] + all.hops[v][t] == all.hops[s][t];
    if (on_the_way) sum += all.paths[s][v] * all.paths[v][t] / all.paths[s][t];
  }
  return sum;
}

class CheckBc : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckBc, AgreesWithTheDefinition) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  if (n > 100) return;
  const AllPairs all = all_pairs(graph.out);
  std::vector<std::uint64_t> sources;
  for (VertexId s = 0; s < n; s += n / 4 + 1) sources.push_back(s);
  const BcOutput output = serial_bc(graph, sources);
  for (VertexId v = 0; v < n; ++v) {
    double sum = 0;
    for (const std::uint64_t s : sources) sum += dependency(all, static_cast<VertexId>(s), v);
    EXPECT_NEAR(output.scores[v] * output.largest, sum, 1e-9 * sum) << v;
  }
  EXPECT_TRUE(check_bc(graph, output, sources));
}

TEST_P(CheckBc, RejectsScoresThatDiffer) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  if (n == 0) return;
  const std::vector<std::uint64_t> sources = {n / 2};
  const BcOutput right = serial_bc(graph, sources);
  for (VertexId v = 0; v < n; v += n / 5 + 1) {
    for (const double wrong : {right.scores[v] * 1.001 + 1e-12, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      BcOutput changed = right;
      changed.scores[v] = wrong;
      const verify::Verdict verdict = check_bc(graph, changed, sources);
      EXPECT_FALSE(verdict.correct);
      EXPECT_NE(verdict.reason.find("vertex " + std::to_string(v) + ":"), std::string::npos) << verdict.reason;
    }
  }
  BcOutput scaled = right;
  scaled.largest += 1;
  EXPECT_FALSE(check_bc(graph, scaled, sources));
  BcOutput longer = right;
  longer.scores.push_back(0);
  EXPECT_FALSE(check_bc(graph, longer, sources));
  EXPECT_FALSE(check_bc(graph, right, {}));
  EXPECT_THROW(serial_bc(graph, {n}), UsageError);
}

TEST_P(CheckBc, AgreesWithTheDefinitionsOfNetworkx) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  if (n > 100) return;
  const AllPairs all = all_pairs(graph.out);
  const BcOutput exact = serial_bc(graph, {}, BcDefinition::exact);
  const BcOutput normalized = serial_bc(graph, {}, BcDefinition::normalized);
  const double pairs = n > 2 ? (n - 1.0) * (n - 2.0) : 1;
  for (VertexId v = 0; v < n; ++v) {
    double sum = 0;
    for (VertexId s = 0; s < n; ++s) sum += s == v ? 0 : dependency(all, s, v);
    EXPECT_NEAR(exact.scores[v], graph.symmetric ? sum / 2 : sum, 1e-9 * sum) << v;
    EXPECT_NEAR(normalized.scores[v], sum / pairs, 1e-9 * sum) << v;
  }
  EXPECT_TRUE(check_bc(graph, exact, {}, BcDefinition::exact));
  EXPECT_FALSE(check_bc(graph, exact, {}, BcDefinition::normalized));
  EXPECT_FALSE(check_bc(graph, exact, {}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckBc, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

TEST(SerialBc, ParallelArcsArePathsOfTheirOwn) {
  const Graph graph = test::directed_graph("two ways", 4, {{0, 1}, {0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const BcOutput output = serial_bc(graph, {0});
  const double source = 3;  // what is reached
  EXPECT_EQ(output.largest, source);
  EXPECT_DOUBLE_EQ(output.scores[1] * source, 2.0 / 3);
  EXPECT_DOUBLE_EQ(output.scores[2] * source, 1.0 / 3);
  EXPECT_EQ(output.scores[3], 0);
}

TEST(SerialBc, ASampleStandsForAllVertices) {
  const Graph graph = test::path_graph(5);  // vertex 2 lies on 4 of the 12 ordered pairs of others that source 0 and 4 begin
  EXPECT_DOUBLE_EQ(serial_bc(graph, {0, 4}, BcDefinition::exact).scores[2], 2);
  EXPECT_DOUBLE_EQ(serial_bc(graph, {0, 4}, BcDefinition::normalized).scores[2], 4.0 / 12);
  EXPECT_DOUBLE_EQ(serial_bc(graph, {0, 4}, BcDefinition::normalized, true).scores[2], 4.0 / 12 * 5 / 2);
}

// Path counts of meshes overflowed doubles. Here the vertices of a mesh in the order of their distance from a corner, in long
// doubles, of which one has more paths to the other corner than 2^1190.
TEST(SerialBc, MeshesHaveMorePathsThanADoubleCounts) {
  if (std::numeric_limits<long double>::max_exponent < 2000) GTEST_SKIP() << "long double is no wider than double";
  constexpr VertexId kSide = 600;
  std::vector<test::Arc> arcs;
  for (VertexId v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) arcs.emplace_back(v, v + 1);
    if (v + kSide < kSide * kSide) arcs.emplace_back(v, v + kSide);
  }
  const Graph mesh = test::directed_graph("mesh", kSide * kSide, arcs);
  std::vector<long double> paths(kSide * kSide, 0);
  std::vector<long double> dependencies(kSide * kSide, 0);
  paths[0] = 1;
  for (const auto& [u, v] : arcs) paths[v] += paths[u];  // u is in order, and all arcs to it come before
  ASSERT_GT(paths.back(), std::ldexp(1.0L, 1190));
  for (std::size_t i = arcs.size(); i-- > 0;) {
    const auto& [u, v] = arcs[i];
    dependencies[u] += paths[u] / paths[v] * (1 + dependencies[v]);
  }
  const BcOutput found = serial_bc(mesh, {0});
  EXPECT_DOUBLE_EQ(found.largest, kSide * kSide - 1);
  for (VertexId v = 0; v < kSide * kSide; ++v) {
    const auto right = static_cast<double>(dependencies[v]);
    ASSERT_NEAR(found.scores[v] * found.largest, right, 1e-11 * right) << v;
  }
}

TEST(SerialBc, AChainOfParallelArcsHasAnyNumberOfPaths) {
  constexpr VertexId kLength = 4000;
  std::vector<test::Arc> arcs;
  for (VertexId v = 0; v < kLength; ++v) arcs.insert(arcs.end(), 16, {v, v + 1});
  const BcOutput found = serial_bc(test::directed_graph("chain", kLength + 1, arcs), {0});  // 2^16000 to its end
  for (VertexId v = 0; v <= kLength; ++v) ASSERT_DOUBLE_EQ(found.scores[v] * kLength, kLength - v);
}

TEST(SerialBc, ADigestHasTheHighest) {
  const Digest got = test::digest_of(serial_bc(test::path_graph(5), {0}));
  EXPECT_EQ(got.count("sources"), 1u);
  EXPECT_EQ(got.number("largest"), 4);
  EXPECT_EQ(got.number("sum"), 2.5);
  ASSERT_EQ(got.top->size(), 5u);
  EXPECT_EQ((*got.top)[1].first, 1u);
  EXPECT_EQ((*got.top)[1].second, 0.75);
}

}  // namespace
}  // namespace graphrun
