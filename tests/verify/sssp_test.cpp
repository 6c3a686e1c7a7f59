// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/verify/properties.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"
#include "verify/vertex_heap.hpp"

namespace graphrun {
namespace {

using test::directed_graph;
using test::with_weights;
using verify::check_sssp;
using verify::serial_sssp;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint32_t hashed(VertexId u, VertexId v, EdgeId e) { return static_cast<std::uint32_t>(splitmix64(u, v, e)); }

/// Small weights, zero among them.
Graph whole(Graph graph) {
  return with_weights(std::move(graph), WeightKind::u32, [](VertexId u, VertexId v, EdgeId e) { return hashed(u, v, e) % 100; });
}

/// Weights whose sums round, over many powers of two.
Graph rounded(Graph graph) {
  return with_weights(std::move(graph), WeightKind::f32, [](VertexId u, VertexId v, EdgeId e) {
    const std::uint32_t word = hashed(u, v, e);
    return bits(std::ldexp(static_cast<float>(word >> 8), -static_cast<int>(word % 12)));
  });
}

/// Bellman and Ford: relax everything until nothing changes.
/// Sums are those of Distance.
template <class Distance, class WeightOf>
std::vector<Distance> relax_everything(const Csr& csr, VertexId source, Distance unreached, const WeightOf& weight_of) {
  std::vector<Distance> distances(csr.num_vertices(), unreached);
  if (distances.empty()) return distances;
  distances[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId u = 0; u < csr.num_vertices(); ++u) {
      if (distances[u] == unreached) continue;
      for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
        const Distance through = distances[u] + weight_of(csr.weights[e]);
        if (!(through < distances[csr.neighbours[e]])) continue;
        distances[csr.neighbours[e]] = through;
        changed = true;
      }
    }
  }
  return distances;
}

class CheckSssp : public ::testing::TestWithParam<test::Shape> {};

TEST_P(CheckSssp, WholeWeightsAgreeWithBellmanFord) {
  const Graph graph = whole(GetParam().make());
  const VertexId n = graph.num_vertices();
  for (VertexId source = 0; source < n || source == 0; source += n / 3 + 1) {
    const auto distances =
        relax_everything(graph.out, source, kUnreachedDistance, [](std::uint32_t word) { return std::uint64_t{word}; });
    const verify::Verdict verdict = check_sssp(graph, {source, distances});
    EXPECT_TRUE(verdict) << verdict.reason;
    for (VertexId v = 0; v < n; v += n / 7 + 1) {
      auto changed = distances;
      changed[v] += 1;
      EXPECT_FALSE(check_sssp(graph, {source, changed})) << v;
      changed[v] = distances[v] == kUnreachedDistance ? 5 : kUnreachedDistance;
      EXPECT_FALSE(check_sssp(graph, {source, changed})) << v;
    }
  }
}

/// Sums in f32 and in f64 are right, and others that differ from them by more than rounding does are wrong.
template <class Distance>
void expect_rounded_sums(const Graph& graph, double beyond_rounding) {
  constexpr Distance kUnreached = std::numeric_limits<Distance>::infinity();
  const VertexId n = graph.num_vertices();
  for (VertexId source = 0; source < n || source == 0; source += n / 3 + 1) {
    const auto distances =
        relax_everything(graph.out, source, kUnreached, [](std::uint32_t word) { return std::bit_cast<float>(word); });
    const verify::Verdict verdict = check_sssp(graph, {source, distances});
    EXPECT_TRUE(verdict) << verdict.reason;
    for (VertexId v = 0; v < n; v += n / 7 + 1) {
      const auto expect_wrong = [&](Distance instead) {
        auto changed = distances;
        changed[v] = instead;
        EXPECT_FALSE(check_sssp(graph, {source, changed})) << v << ": " << instead;
      };
      const bool is_unreached = distances[v] == kUnreached;
      expect_wrong(distances[v] == 0 ? -1
                   : is_unreached    ? std::numeric_limits<Distance>::max()
                                     : static_cast<Distance>(distances[v] * (1 - beyond_rounding)));
      expect_wrong(is_unreached ? 5 : kUnreached);
      expect_wrong(std::numeric_limits<Distance>::quiet_NaN());
    }
  }
}

TEST_P(CheckSssp, FloatWeightsAgreeWithBellmanFordWithinWhatRoundingDoes) {
  const Graph graph = rounded(GetParam().make());
  expect_rounded_sums<float>(graph, 1e-3);
  expect_rounded_sums<double>(graph, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckSssp, ::testing::ValuesIn(test::all_shapes()), test::shape_name);

// The direct arc 0 -> 2 is longer than the way through 1; 3 -> 0 is not reached.
class CheckSsspReasons : public ::testing::Test {
 protected:
  Graph small(WeightKind kind, std::vector<std::uint32_t> words) const {
    return with_weights(directed_graph("", 4, {{0, 1}, {0, 2}, {1, 2}, {3, 0}}), kind,
                        [&](VertexId, VertexId, EdgeId e) { return words[e]; });
  }
  using Whole = std::vector<std::uint64_t>;
  using Floats = std::vector<float>;
  const Graph graph = small(WeightKind::u32, {3, 9, 4, 1});
};

TEST_F(CheckSsspReasons, TheRightAnswer) {
  EXPECT_TRUE(check_sssp(graph, {0, Whole{0, 3, 7, kUnreachedDistance}}));
  EXPECT_TRUE(check_sssp(graph, {3, Whole{1, 4, 8, 0}}));
}

TEST_F(CheckSsspReasons, NamesTheSmallestVertexThatDiffers) {
  EXPECT_EQ(check_sssp(graph, {0, Whole{0, 3, 9, 4}}).reason, "vertex 2: distance 9, expected distance 7");
  EXPECT_EQ(check_sssp(graph, {0, Whole{0, 3, 7, 4}}).reason, "vertex 3: distance 4, expected unreached");
  EXPECT_EQ(check_sssp(graph, {0, Whole{0, kUnreachedDistance, 7, 4}}).reason, "vertex 1: unreached, expected distance 3");
  EXPECT_EQ(check_sssp(graph, {0, Whole{2, 3, 7, 4}}).reason, "vertex 0: distance 2, expected distance 0");
}

TEST_F(CheckSsspReasons, WrongSizesSourcesAndTypes) {
  EXPECT_EQ(check_sssp(graph, {0, Whole{0, 3, 7}}).reason, "3 distances for 4 vertices");
  EXPECT_EQ(check_sssp(graph, {4, Whole{0, 3, 7, 4}}).reason, "source 4 is not below the number of vertices, 4");
  EXPECT_EQ(check_sssp(graph, {0, Floats{0, 3, 7, kInfinity}}).reason, "distances are f32, but weights are u32");
}

TEST_F(CheckSsspReasons, OneAbove53Bits) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 53;
  const Graph wide =
      test::with_wide_weights(directed_graph("", 4, {{0, 1}, {0, 2}, {1, 2}, {3, 0}}),
                              [](VertexId, VertexId, EdgeId e) { return e == 1 ? kLarge + 1 : kLarge / 2 + e % 2; });
  EXPECT_TRUE(check_sssp(wide, {0, Whole{0, kLarge / 2, kLarge, kUnreachedDistance}}));
  EXPECT_EQ(check_sssp(wide, {0, Whole{0, kLarge / 2, kLarge + 1, kUnreachedDistance}}).reason,
            "vertex 2: distance 9007199254740993, expected distance 9007199254740992");
  ThreadPool pool(2);
  EXPECT_TRUE(verify::check_sssp_properties(wide, {0, Whole{0, kLarge / 2, kLarge, kUnreachedDistance}}, {pool}));
  EXPECT_FALSE(verify::check_sssp_properties(wide, {0, Whole{0, kLarge / 2, kLarge + 1, kUnreachedDistance}}, {pool}));
  EXPECT_EQ(check_sssp(wide, {0, Floats{0, 3, 7, kInfinity}}).reason, "distances are f32, but weights are u64");
}

TEST_F(CheckSsspReasons, SumsBeyond32Bits) {
  constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();
  const Graph heavy = small(WeightKind::u32, {kLargest, kLargest, 0, kLargest});
  EXPECT_TRUE(check_sssp(heavy, {3, Whole{kLargest, 2 * std::uint64_t{kLargest}, 2 * std::uint64_t{kLargest}, 0}}));
}

TEST_F(CheckSsspReasons, ZeroWeightCycles) {
  const Graph loose = with_weights(test::cycle_with_tail(4), WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 0; });
  EXPECT_TRUE(check_sssp(loose, {4, Whole{0, 0, 0, 0, 0, kUnreachedDistance, kUnreachedDistance, kUnreachedDistance}}));
}

TEST_F(CheckSsspReasons, FloatSumsThatRoundAway) {
  // 2^24 + 1 is 2^24 in f32, so both ways to vertex 2 are equally long.
  const Graph rough = small(WeightKind::f32, {bits(0x1p24F), bits(0x1p24F), bits(1), bits(0.25F)});
  EXPECT_TRUE(check_sssp(rough, {0, Floats{0, 0x1p24F, 0x1p24F, kInfinity}}));
  EXPECT_EQ(check_sssp(rough, {0, Floats{0, 0x1p24F, 16777218.0F, kInfinity}}).reason,
            "vertex 2: distance 16777218, expected distance 16777216");
}

// A path of a million edges of 0.1 was 0.96 % too long, and verified: the oracle repeated the sums of the kernels.
TEST(CheckSsspSums, DriftOfF32IsFoundInF64AndExplainedByTheEdgesOfThePathInF32) {
  constexpr VertexId kEdges = 1'000'000;
  std::vector<test::Arc> arcs;
  for (VertexId v = 0; v < kEdges; ++v) arcs.emplace_back(v, v + 1);
  const Graph path =
      with_weights(directed_graph("", kEdges + 1, arcs), WeightKind::f32, [](VertexId, VertexId, EdgeId) { return bits(0.1F); });
  std::vector<float> drifted(kEdges + 1);
  for (VertexId v = 0; v < kEdges; ++v) drifted[v + 1] = drifted[v] + 0.1F;
  const verify::Verdict explained = check_sssp(path, {0, drifted});
  EXPECT_TRUE(explained) << explained.reason;
  EXPECT_EQ(explained.longest_path, kEdges);
  EXPECT_FALSE(check_sssp(path, {0, std::vector<double>(drifted.begin(), drifted.end())}));
  std::vector<double> exact = std::get<std::vector<double>>(serial_sssp(path, 0));
  EXPECT_NEAR(exact.back(), 100000.00149, 1e-5);
  EXPECT_TRUE(check_sssp(path, {0, exact}));
  exact.back() *= 1 + 1e-9;
  EXPECT_FALSE(check_sssp(path, {0, exact}));
}

TEST(CheckSsspSums, APathOfManyEdgesMayRoundBelowTheShortest) {
  // In f32 0.75 is lost beside 2^24, so that ten such edges seem shorter than the direct one.
  std::vector<test::Arc> arcs{{0, 1}, {0, 11}};
  for (VertexId v = 1; v < 11; ++v) arcs.emplace_back(v, v + 1);
  const Graph graph = with_weights(directed_graph("", 12, arcs), WeightKind::f32, [](VertexId u, VertexId v, EdgeId) {
    return bits(u != 0 ? 0.75F : v == 1 ? 0x1p24F : 16777222.0F);
  });
  std::vector<float> found(12, 0x1p24F);
  found[0] = 0;
  const verify::Verdict verdict = check_sssp(graph, {0, found});
  EXPECT_TRUE(verdict) << verdict.reason;
  EXPECT_EQ(verdict.longest_path, 11U);
  found[11] = 16777214.0F;  // of no path
  EXPECT_EQ(check_sssp(graph, {0, found}).reason, "vertex 11: distance 16777214, expected distance 16777222");
}

// A reachable vertex was called unreached, and that was verified, where a sum of floats was infinite.
TEST_F(CheckSsspReasons, FloatSumsBeyondTheLargestFloatAreReached) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const Graph far = small(WeightKind::f32, {bits(3e38F), bits(kLargest), bits(3e38F), bits(1)});
  EXPECT_TRUE(check_sssp(far, {0, Floats{0, 3e38F, kLargest, kInfinity}}));
  EXPECT_EQ(check_sssp(far, {0, Floats{0, 3e38F, kInfinity, kInfinity}}).reason,
            "vertex 2: unreached, expected distance 3.4028234663852886e+38");
}

TEST_F(CheckSsspReasons, WeightsThatDijkstraCannotTake) {
  const Floats any{0, 0, 0, 0};
  EXPECT_THROW(check_sssp(small(WeightKind::f32, {bits(1), bits(1), bits(-1), bits(1)}), {0, any}), UsageError);
  EXPECT_THROW(check_sssp(small(WeightKind::f32, {bits(std::nanf("")), bits(1), bits(1), bits(1)}), {0, any}), UsageError);
  EXPECT_THROW(check_sssp(small(WeightKind::f32, {bits(kInfinity), bits(1), bits(1), bits(1)}), {0, any}), UsageError);
  EXPECT_THROW(serial_sssp(directed_graph("", 2, {{0, 1}}), 0), UsageError);
  EXPECT_THROW(serial_sssp(graph, 4), UsageError);
}

TEST(VertexHeap, TakesVerticesByAscendingKeyWhileKeysFall) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<std::uint64_t> keys(2000, std::numeric_limits<std::uint64_t>::max());
    verify::VertexHeap<std::uint64_t> heap(keys);
    for (VertexId v = 0; v < keys.size(); ++v) {
      keys[v] = splitmix64(seed, v, 0) >> (v % 50 + 10);  // gaps from none to 2^54
      heap.place(v);
    }
    std::uint64_t last = 0;
    std::vector<bool> taken(keys.size(), false);
    while (!heap.empty()) {
      const VertexId v = heap.pop();
      ASSERT_GE(keys[v], last) << "seed " << seed;
      ASSERT_FALSE(taken[v]);
      taken[v] = true;
      last = keys[v];
      for (VertexId u = v % 7; u < keys.size(); u += 97) {  // some of those that wait come nearer
        if (taken[u]) continue;
        keys[u] = last + (keys[u] - last) / 2;
        heap.place(u);
      }
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), true), 2000) << "seed " << seed;
  }
}

}  // namespace
}  // namespace graphrun
