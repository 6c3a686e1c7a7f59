// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "graph/naive.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun {
namespace {

using Kind = WeightSource::Kind;

Graph small_graph(ThreadPool& pool) {
  return build_graph(naive::list_of(3000, naive::random_arcs(3000, 20000, 3, WeightKind::none), Arcs::mirror), {}, pool);
}

TEST(Weights, ParsesEverySource) {
  EXPECT_EQ(parse_weight_source("file").kind, Kind::file);
  EXPECT_EQ(parse_weight_source("unit").kind, Kind::unit);
  EXPECT_EQ(parse_weight_source("truth").kind, Kind::truth);
  EXPECT_EQ(parse_weight_source("random"), parse_weight_source("random:1"));
  const WeightSource gap = parse_weight_source("random:9");
  EXPECT_EQ(gap.kind, Kind::random);
  EXPECT_EQ(gap.seed, 9u);
  EXPECT_EQ(gap.low, 1u);
  EXPECT_EQ(gap.high, 255u);
  const WeightSource wide = parse_weight_source("random:18446744073709551615:0:4294967295");
  EXPECT_EQ(wide.seed, ~std::uint64_t{0});
  EXPECT_EQ(wide.low, 0u);
  EXPECT_EQ(wide.high, ~std::uint32_t{0});
}

TEST(Weights, RefusesOtherWords) {
  for (const char* text :
       {"", "files", "randoms", "random:", "random:x", "random:1:2", "random:1:2:", "random:1:2:3:", "random:1:2:3:4",
        "random:1:9:3", "random:-1", "random:1:-2:3", "random:1:0:4294967296", "unit:1", "random:1 "}) {
    EXPECT_THROW(parse_weight_source(text), UsageError) << text;
  }
}

TEST(Weights, UnitIsOneAnArc) {
  ThreadPool pool(2);
  Graph graph = small_graph(pool);
  assign_weights(graph, {.kind = Kind::unit}, pool);
  EXPECT_EQ(graph.weight_kind, WeightKind::u32);
  ASSERT_EQ(graph.out.weights.size(), graph.num_edges());
  for (const std::uint32_t weight : graph.out.weights.span()) ASSERT_EQ(weight, 1u);
}

TEST(Weights, TruthFollowsItsFormula) {
  ThreadPool pool(2);
  Graph graph = small_graph(pool);
  assign_weights(graph, {.kind = Kind::truth}, pool);
  for (const auto& [u, v, weight] : naive::arcs_of(graph.out)) {
    ASSERT_EQ(weight, 1 + (std::uint64_t{u} * 2654435761ull + std::uint64_t{v} * 40503ull) % 64);
  }
}

TEST(Weights, RandomAgreesInBothDirectionsFillsItsRangeAndDependsOnTheSeed) {
  ThreadPool pool(2);
  Graph graph = small_graph(pool);
  assign_weights(graph, {.kind = Kind::random, .seed = 5, .low = 10, .high = 19}, pool);
  const naive::Arcs arcs = naive::arcs_of(graph.out);
  naive::Arcs swapped;
  std::set<std::uint32_t> values;
  for (const auto& [u, v, weight] : arcs) {
    swapped.push_back({v, u, weight});
    values.insert(weight);
  }
  std::sort(swapped.begin(), swapped.end());
  EXPECT_TRUE(swapped == arcs);
  EXPECT_EQ(*values.begin(), 10u);
  EXPECT_EQ(*values.rbegin(), 19u);
  EXPECT_EQ(values.size(), 10u);

  ThreadPool other_pool(5);
  Graph again = graph;
  assign_weights(again, {.kind = Kind::random, .seed = 5, .low = 10, .high = 19}, other_pool);
  EXPECT_TRUE(naive::arcs_of(again.out) == arcs);
  assign_weights(again, {.kind = Kind::random, .seed = 6, .low = 10, .high = 19}, pool);
  EXPECT_FALSE(naive::arcs_of(again.out) == arcs);
}

TEST(Weights, RandomOverAllWords) {
  ThreadPool pool(1);
  Graph graph = small_graph(pool);
  assign_weights(graph, {.kind = Kind::random, .seed = 1, .low = 0, .high = ~std::uint32_t{0}}, pool);
  std::uint32_t seen = 0;
  for (const std::uint32_t weight : graph.out.weights.span()) seen |= weight;
  EXPECT_EQ(seen, ~std::uint32_t{0});
}

TEST(Weights, FileKeepsWhatThereIsAndRefusesNothing) {
  ThreadPool pool(1);
  Graph graph = small_graph(pool);
  EXPECT_THROW(assign_weights(graph, {.kind = Kind::file}, pool), UsageError);
  assign_weights(graph, {.kind = Kind::truth}, pool);
  const naive::Arcs before = naive::arcs_of(graph.out);
  assign_weights(graph, {.kind = Kind::file}, pool);
  EXPECT_TRUE(naive::arcs_of(graph.out) == before);
}

TEST(Weights, NegativeInfiniteAndNotANumberAreRefusedWithTheirEdge) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  ThreadPool pool(2);
  const auto with = [&](float value) {
    naive::Arcs arcs(100000, {1, 2, std::bit_cast<std::uint32_t>(1.0f)});
    arcs.push_back({3, 0, std::bit_cast<std::uint32_t>(value)});
    return build_graph(naive::list_of(5, arcs, Arcs::directed, WeightKind::f32), {}, pool);
  };
  for (const float good : {0.0f, -0.0f, 3.5f, std::numeric_limits<float>::max()}) {
    EXPECT_NO_THROW(check_weights_nonnegative(with(good), pool)) << good;
  }
  for (const float bad : {-1.0f, -1e-30f, std::nanf(""), kInfinity, -kInfinity}) {
    try {
      check_weights_nonnegative(with(bad), pool);
      ADD_FAILURE() << bad << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("from 3 to 0"), std::string::npos) << error.what();
    }
  }
}

TEST(Weights, WholeWeightsAreNeverNegative) {
  ThreadPool pool(1);
  const Graph graph = build_graph(naive::list_of(2, {{0, 1, 0xffffffffu}}, Arcs::directed, WeightKind::u32), {}, pool);
  EXPECT_NO_THROW(check_weights_nonnegative(graph, pool));
}

}  // namespace
}  // namespace graphrun
