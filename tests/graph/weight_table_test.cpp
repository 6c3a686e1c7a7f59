// SPDX-License-Identifier: Apache-2.0
// Whole weights beyond 32 bits, as places in a table.
#include "graph/weight_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"
#include "support/arcs.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

Column<std::uint64_t> column_of(const std::vector<std::uint64_t>& values) {
  auto column = Column<std::uint64_t>::allocate(values.size());
  std::ranges::copy(values, column.data());
  return column;
}

struct WeightedEntry {
  VertexId source, target;
  std::uint64_t weight;
};

EdgeList list_of(VertexId n, const std::vector<WeightedEntry>& entries, Arcs arcs) {
  EdgeList list;
  list.num_vertices = n;
  list.arcs = arcs;
  list.weight_kind = WeightKind::u64;
  list.allocate(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    list.sources[i] = entries[i].source;
    list.targets[i] = entries[i].target;
    list.wide_weights[i] = entries[i].weight;
  }
  return list;
}

/// In the order of the lists.
std::vector<std::tuple<VertexId, VertexId, std::uint64_t>> arcs_of(const Graph& graph) {
  std::vector<std::tuple<VertexId, VertexId, std::uint64_t>> arcs;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e)
      arcs.emplace_back(v, graph.out.neighbours[e], graph.whole_weight(graph.out.weights[e]));
  }
  return arcs;
}

TEST(WeightTable, WordsAreInTheOrderOfWeights) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 500'000; ++i) values.push_back(splitmix64(i % 300'000));
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const EncodedWeights encoded = encode_weights(column_of(values), pool);
    ASSERT_TRUE(std::ranges::is_sorted(encoded.table.span()));
    ASSERT_EQ(encoded.table.size(), 300'000u);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(encoded.table[encoded.words[i]], values[i]);
  }
}

TEST(WeightTable, OfNoWeightsIsEmpty) {
  ThreadPool pool(2);
  const EncodedWeights encoded = encode_weights({}, pool);
  EXPECT_TRUE(encoded.table.empty() && encoded.words.empty());
}

// Whatever a rule does, in memory and through files; lists are those of a map.
TEST(WeightTable, ParallelArcsMergeByTheirWeights) {
  std::vector<WeightedEntry> entries;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    entries.push_back({static_cast<VertexId>(splitmix64(1, i, 0) % 20), static_cast<VertexId>(splitmix64(2, i, 0) % 20),
                       (std::uint64_t{1} << 50) + splitmix64(3, i, 0) % 1000});
  }
  std::map<std::pair<VertexId, VertexId>, std::vector<std::uint64_t>> weights;
  for (const auto& [u, v, weight] : entries) weights[{u, v}].push_back(weight);
  ThreadPool pool(2);
  for (const auto rule : {MergeRule::min, MergeRule::max, MergeRule::sum, MergeRule::first}) {
    std::vector<std::tuple<VertexId, VertexId, std::uint64_t>> wanted;
    for (const auto& [ends, all] : weights) {
      std::uint64_t weight = all.front();
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (rule == MergeRule::min) weight = std::min(weight, all[i]);
        if (rule == MergeRule::max) weight = std::max(weight, all[i]);
        if (rule == MergeRule::sum) weight += all[i];
      }
      wanted.emplace_back(ends.first, ends.second, weight);
    }
    const Graph graph = build_graph(list_of(20, entries, Arcs::directed), {.merge = rule}, pool);
    EXPECT_EQ(arcs_of(graph), wanted);
    check_weight_table(graph, "merged", pool);
    const Graph all = build_graph(list_of(20, entries, Arcs::directed), {}, pool);
    if (rule != MergeRule::first) {
      EXPECT_EQ(arcs_of(rebuild(Graph(all), {.merge = rule}, pool)), wanted);
    }
    for (const std::uint64_t memory : {20'000, 10'000'000}) {
      const Workspace space = Workspace::on_disk(::testing::TempDir(), memory);
      const Graph external = rebuild(Graph(all), {.merge = rule}, pool, space);
      if (rule != MergeRule::first) {
        EXPECT_EQ(arcs_of(external), wanted);
      }
      check_weight_table(external, "merged in files", pool, space);
    }
  }
}

TEST(WeightTable, SumsBeyond64BitsAreRefused) {
  ThreadPool pool(1);
  const auto merged = [&](std::uint64_t a, std::uint64_t b) {
    return build_graph(list_of(2, {{0, 1, a}, {0, 1, b}}, Arcs::directed), {.merge = MergeRule::sum}, pool);
  };
  EXPECT_EQ(arcs_of(merged(kHuge, kHuge - 1)).front(),
            (std::tuple<VertexId, VertexId, std::uint64_t>{0, 1, 2 * (kHuge - 1) + 1}));
  EXPECT_THROW(merged(kHuge, kHuge), DataError);
}

TEST(WeightTable, IsKeptByEveryOrder) {
  ThreadPool pool(2);
  const std::vector<WeightedEntry> entries = {{0, 1, kHuge}, {1, 2, kHuge + 1}, {2, 2, 7}, {3, 1, 7}, {0, 1, 3}};
  const Graph graph = build_graph(list_of(4, entries, Arcs::mirror), {}, pool);
  EXPECT_TRUE(is_balanced(graph, pool));
  const auto sorted = [](const Graph& of, const VertexNames& names) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> arcs;
    for (const auto& [u, v, weight] : arcs_of(of)) arcs.emplace_back(names.number(u), names.number(v), weight);
    std::ranges::sort(arcs);
    return arcs;
  };
  const auto wanted = sorted(graph, graph.names);
  EXPECT_EQ(wanted.size(), 9u);
  const Graph relabelled = relabel(Graph(graph), VertexOrder::degree, pool);
  EXPECT_EQ(sorted(relabelled, relabelled.names), wanted);
  Graph hubs = graph;
  put_hubs_first(hubs, pool);
  EXPECT_EQ(sorted(hubs, hubs.names), wanted);
  EXPECT_EQ(measure_weights(graph).largest, static_cast<double>(kHuge));
  Graph other = graph;
  assign_weights(other, {.kind = WeightSource::Kind::unit}, pool);
  EXPECT_EQ(other.weight_of(other.out.weights[0]), 1);
}

TEST(WeightTable, BothDirectionsAreComparedByWeight) {
  ThreadPool pool(1);
  DirectionBalance alike, unlike;
  alike.add(list_of(2, {{0, 1, kHuge}, {1, 0, kHuge}}, Arcs::directed), pool);
  unlike.add(list_of(2, {{0, 1, kHuge}, {1, 0, kHuge + 1}}, Arcs::directed), pool);
  EXPECT_TRUE(alike.holds());
  EXPECT_FALSE(unlike.holds());
}

TEST(WeightTable, DamageIsNamed) {
  ThreadPool pool(2);
  const Graph sound =
      with_wide_weights(directed_graph("d", 3, {{0, 1}, {1, 2}}), [](VertexId u, VertexId, EdgeId) { return kHuge + u; });
  EXPECT_NO_THROW(check_weight_table(sound, "sound", pool));
  Graph outside = sound;
  outside.out.weights = Column<std::uint32_t>::allocate(2);
  outside.out.weights[1] = 2;
  EXPECT_THROW(check_weight_table(outside, "outside", pool), DataError);
  EXPECT_THROW(static_cast<void>(outside.weight_of(2)), DataError);
  Graph level = sound;
  level.weight_table = column_of({5, 5});
  EXPECT_THROW(check_weight_table(level, "level", pool), DataError);
}

}  // namespace
}  // namespace graphrun::test
