// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/build.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/naive.hpp"
#include "graph/partition.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "support/sanitized.hpp"

namespace graphrun {
namespace {

using naive::Arc;
using naive::arcs_of;
using naive::list_of;

Graph build(VertexId n, const naive::Arcs& arcs, Arcs meaning, const BuildOptions& options = {}, int threads = 2) {
  ThreadPool pool(threads);
  return build_graph(list_of(n, arcs, meaning), options, pool);
}

void expect_sound(const Csr& csr) {
  ThreadPool pool(1);
  EXPECT_NO_THROW(check_csr(csr, "built", pool));
}

TEST(Build, NoVertices) {
  const Graph graph = build(0, {}, Arcs::directed);
  EXPECT_EQ(graph.num_vertices(), 0u);
  EXPECT_EQ(graph.num_edges(), 0u);
  expect_sound(graph.out);
}

TEST(Build, OneVertexWithAndWithoutASelfLoop) {
  EXPECT_EQ(arcs_of(build(1, {}, Arcs::directed).out), naive::Arcs{});
  EXPECT_EQ(arcs_of(build(1, {{0, 0}}, Arcs::mirror).out), (naive::Arcs{{0, 0}}));
  EXPECT_EQ(arcs_of(build(1, {{0, 0}}, Arcs::directed, {.drop_self_loops = true}).out), naive::Arcs{});
}

TEST(Build, EmptyListsBetweenFullOnes) {
  const Graph graph = build(7, {{5, 1}, {2, 6}, {5, 0}, {2, 2}}, Arcs::directed);
  expect_sound(graph.out);
  EXPECT_EQ(arcs_of(graph.out), (naive::Arcs{{2, 2}, {2, 6}, {5, 0}, {5, 1}}));
  EXPECT_FALSE(graph.symmetric);
}

TEST(Build, MirrorAddsTheOppositeButNotOfSelfLoops) {
  const Graph graph = build(3, {{0, 1}, {1, 1}, {2, 0}}, Arcs::mirror);
  EXPECT_EQ(arcs_of(graph.out), (naive::Arcs{{0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}}));
  EXPECT_TRUE(graph.symmetric);
}

TEST(Build, MirroredIsTakenAsItIs) {
  const Graph graph = build(2, {{0, 1}, {1, 0}}, Arcs::mirrored, {.symmetrise = true});
  EXPECT_EQ(graph.num_edges(), 2u);
  EXPECT_TRUE(graph.symmetric);
}

TEST(Build, UnsortedListsKeepTheOrderOfTheEntries) {
  const Graph graph = build(4, {{0, 3}, {0, 1}, {2, 0}, {0, 2}, {0, 1}}, Arcs::directed, {.sort_lists = false});
  EXPECT_EQ(arcs_of(graph.out), (naive::Arcs{{0, 3}, {0, 1}, {0, 2}, {0, 1}, {2, 0}}));
}

TEST(Build, DuplicatesKeepTheSmallestWeightOfTheirKind) {
  ThreadPool pool(2);
  const auto word = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  const BuildOptions options{.merge = MergeRule::min};
  const naive::Arcs real = {{0, 1, word(2.5f)}, {0, 1, word(-1.0f)}, {0, 1, word(-3.0f)}, {1, 0, word(0.5f)}};
  const Graph floats = build_graph(list_of(2, real, Arcs::directed, WeightKind::f32), options, pool);
  EXPECT_EQ(arcs_of(floats.out), (naive::Arcs{{0, 1, word(-3.0f)}, {1, 0, word(0.5f)}}));
  const naive::Arcs whole = {{0, 1, 0x80000001u}, {0, 1, 7}, {0, 1, 0xffffffffu}};
  const Graph integers = build_graph(list_of(2, whole, Arcs::directed, WeightKind::u32), options, pool);
  EXPECT_EQ(arcs_of(integers.out), (naive::Arcs{{0, 1, 7}}));
}

TEST(Build, SumsThatDoNotFitAreRefused) {
  ThreadPool pool(2);
  const auto sum = [&](std::uint32_t one, std::uint32_t other, WeightKind kind) {
    return arcs_of(
        build_graph(list_of(2, {{0, 1, one}, {0, 1, other}}, Arcs::directed, kind), {.merge = MergeRule::sum}, pool).out);
  };
  EXPECT_EQ(sum(0xfffffffe, 1, WeightKind::u32), (naive::Arcs{{0, 1, 0xffffffff}}));
  EXPECT_THROW(sum(0xfffffffe, 2, WeightKind::u32), DataError);
  const auto large = std::bit_cast<std::uint32_t>(3e38f);
  EXPECT_THROW(sum(large, large, WeightKind::f32), DataError);
}

TEST(Build, ConsumesItsInput) {
  ThreadPool pool(1);
  EdgeList list = list_of(2, {{0, 1}});
  build_graph(std::move(list), {}, pool);
  EXPECT_TRUE(list.sources.empty());
}

TEST(Build, RefusesIdsThatAreTooLargeAndNamesTheFirst) {
  naive::Arcs arcs(200000, Arc{0, 1});
  arcs[150000] = {1, 2};
  arcs[199999] = {9, 0};
  for (const int threads : {1, 4}) {
    try {
      build(2, arcs, Arcs::directed, {}, threads);
      FAIL() << "accepted";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("entry 150000 "), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(build(0, {{0, 0}}, Arcs::directed), DataError);
}

TEST(Build, RefusesColumnsOfDifferentLengths) {
  ThreadPool pool(1);
  EdgeList list = list_of(3, {{0, 1}, {1, 2}});
  list.targets.truncate(1);
  EXPECT_THROW(build_graph(std::move(list), {}, pool), DataError);
  list = list_of(3, {{0, 1}, {1, 2}}, Arcs::directed, WeightKind::u32);
  list.weights.truncate(1);
  EXPECT_THROW(build_graph(std::move(list), {}, pool), DataError);
}

struct RandomCase {
  VertexId n;
  std::size_t arcs;
  WeightKind kind;
};

constexpr std::size_t kMany = test::kSanitized ? 20'000 : 150'000;
const std::vector<int> kThreads = test::kFewCases ? std::vector{3} : std::vector{1, 3};

class BuildRandom : public testing::TestWithParam<RandomCase> {};

TEST_P(BuildRandom, EqualsTheNaiveConstructionForAnyNumberOfThreads) {
  const auto [n, count, kind] = GetParam();
  const naive::Arcs arcs = naive::random_arcs(n, count, 7, kind);
  for (int bits = 0; bits < 20; ++bits) {
    const BuildOptions options{
        .symmetrise = (bits & 1) != 0, .drop_self_loops = (bits & 2) != 0, .merge = static_cast<MergeRule>(bits / 4)};
    const naive::Arcs wanted = naive::expected(arcs, options.symmetrise, options, kind);
    for (const int threads : kThreads) {
      ThreadPool pool(threads);
      const Graph graph = build_graph(list_of(n, arcs, Arcs::directed, kind), options, pool);
      expect_sound(graph.out);
      EXPECT_EQ(graph.weight_kind, kind);
      EXPECT_EQ(graph.symmetric, options.symmetrise);
      EXPECT_TRUE(arcs_of(graph.out) == wanted) << "options " << bits << ", " << threads << " threads";
    }
  }
}

TEST_P(BuildRandom, TransposeReversesEveryArc) {
  const auto [n, count, kind] = GetParam();
  const naive::Arcs arcs = naive::random_arcs(n, count, 8, kind);
  naive::Arcs reversed;
  for (const Arc& arc : arcs) reversed.push_back({arc.v, arc.u});
  std::sort(reversed.begin(), reversed.end());
  for (const bool sorted : {true, false}) {
    for (const int threads : kThreads) {
      ThreadPool pool(threads);
      const Graph graph = build_graph(list_of(n, arcs, Arcs::directed, kind), {.sort_lists = sorted}, pool);
      const Csr in = transpose(graph.out, pool);
      EXPECT_TRUE(arcs_of(in) == reversed) << threads << " threads";
      EXPECT_TRUE(in.weights.empty());
    }
  }
}

TEST_P(BuildRandom, SymmetriseAddsEveryOpposite) {
  const auto [n, count, kind] = GetParam();
  const naive::Arcs arcs = naive::random_arcs(n, count, 9, kind);
  const naive::Arcs wanted = naive::expected(arcs, true, {}, kind);
  for (const int threads : kThreads) {
    ThreadPool pool(threads);
    Graph graph = build_graph(list_of(n, arcs, Arcs::directed, kind), {}, pool);
    graph.name = "kept";
    graph.in = transpose(graph.out, pool);
    const Graph both = rebuild(std::move(graph), {.symmetrise = true}, pool);
    EXPECT_TRUE(arcs_of(both.out) == wanted) << threads << " threads";
    EXPECT_TRUE(both.symmetric);
    EXPECT_FALSE(both.in.has_value());
    EXPECT_EQ(both.name, "kept");
    EXPECT_EQ(both.weight_kind, kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BuildRandom,
                         testing::Values(RandomCase{0, 0, WeightKind::none}, RandomCase{1, 5, WeightKind::u32},
                                         RandomCase{2, 40, WeightKind::f32}, RandomCase{100, 2000, WeightKind::none},
                                         RandomCase{5000, 3000, WeightKind::u32}, RandomCase{300, kMany, WeightKind::f32},
                                         RandomCase{40000, kMany, WeightKind::none}, RandomCase{40000, kMany, WeightKind::u32}));

TEST(Build, SymmetriseLeavesASymmetricGraphAlone) {
  ThreadPool pool(1);
  Graph graph = build(2, {{0, 1}, {0, 1}}, Arcs::mirror);
  EXPECT_EQ(rebuild(std::move(graph), {.symmetrise = true}, pool).num_edges(), 4u);
}

// Long enough that its bucket is dealt out by all threads together.
TEST(Build, HubSharedByAllThreads) {
  constexpr VertexId kLeaves = test::kSanitized ? 1060000 : 1300000;
  naive::Arcs arcs;
  for (VertexId leaf = kLeaves; leaf > 0; --leaf) arcs.push_back({0, leaf, static_cast<std::uint32_t>(leaf % 1000)});
  for (std::uint32_t weight = 50; weight > 0; --weight) arcs.push_back({0, 77, weight});
  // naive::expected() sorts: most of the test's time, under a sanitizer.
  naive::Arcs wanted, back;
  for (VertexId leaf = 1; leaf <= kLeaves; ++leaf) {
    for (std::uint32_t weight = 1; leaf == 77 && weight <= 50; ++weight) {
      wanted.push_back({0, leaf, weight});
      back.push_back({leaf, 0, weight});
    }
    wanted.push_back({0, leaf, static_cast<std::uint32_t>(leaf % 1000)});
    back.push_back({leaf, 0, static_cast<std::uint32_t>(leaf % 1000)});
  }
  wanted.insert(wanted.end(), back.begin(), back.end());
  ThreadPool pool(3);
  const Graph graph = build_graph(list_of(kLeaves + 1, arcs, Arcs::mirror, WeightKind::u32), {}, pool);
  expect_sound(graph.out);
  EXPECT_TRUE(arcs_of(graph.out) == wanted);

  const Graph unsorted = build_graph(list_of(kLeaves + 1, arcs, Arcs::directed), {.sort_lists = false}, pool);
  const naive::Arcs stored = arcs_of(unsorted.out);
  EXPECT_TRUE(std::equal(stored.begin(), stored.end(), arcs.begin(), arcs.end(),
                         [](const Arc& a, const Arc& b) { return a.u == b.u && a.v == b.v; }));
}

// Lists of 1024 and more are sorted by counting, in any order.
TEST(Build, RecordsAscendByWeightAndNeighbour) {
  for (const WeightKind kind : {WeightKind::u32, WeightKind::f32}) {
    for (const VertexId leaves : {1023, 1024, 3000}) {
      const VertexId n = 200'000;
      naive::Arcs arcs;
      for (VertexId i = 0; i < leaves; ++i) {
        const VertexId leaf = i % 7 == 0 && i > 0 ? arcs.back().v : 1 + i * 60;  // also parallel arcs
        const std::uint32_t large = kind == WeightKind::u32 ? 0xfffffff0u - static_cast<std::uint32_t>(i) : 0x7f000000u;
        arcs.push_back({0, leaf, i % 5 == 0 ? large : static_cast<std::uint32_t>(i % 3)});
      }
      std::vector<std::pair<std::uint32_t, VertexId>> wanted;
      for (const Arc& arc : arcs) wanted.emplace_back(arc.weight, arc.v);
      std::ranges::sort(wanted);
      if (kind == WeightKind::f32) arcs[3].weight = 0x80000000u;  // minus zero, where a zero was
      for (const bool sorted : {true, false}) {
        if (!sorted) std::ranges::reverse(arcs);
        ThreadPool pool(2);
        Graph graph = build_graph(list_of(n, arcs, Arcs::directed, kind), {.sort_lists = sorted}, pool);
        add_records(graph, pool);
        std::vector<std::pair<std::uint32_t, VertexId>> found;
        for (std::size_t i = 0; i < leaves; ++i)
          found.emplace_back(static_cast<std::uint32_t>(graph.out.records[2 * i + 1]), graph.out.records[2 * i]);
        EXPECT_TRUE(found == wanted) << leaves << sorted;
      }
    }
  }
}

TEST(RadixSort, IsStableForAnyNumberOfDigitsAndThreads) {
  struct Record {
    std::uint64_t key;
    std::size_t before;
    bool operator==(const Record&) const = default;
  };
  const auto key = [](const Record& record) { return record.key; };
  for (const int bits : {0, 1, 11, 12, 22, 23, 33, 64}) {
    for (const std::size_t count : {0, 1, 40000}) {
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0x5fff}}) {  // the latter: some digits are all alike
        std::vector<Record> records;
        const std::uint64_t largest = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        for (std::size_t i = 0; i < count; ++i) records.push_back({splitmix64(i / 2) & mask & largest, i});
        std::vector<Record> wanted = records;
        std::ranges::stable_sort(wanted, {}, key);
        const auto expect_sorted = [&](const auto& sort) {
          std::vector<Record> data = records, spare(count);
          const Record* const sorted = sort(data.data(), spare.data());
          EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), sorted)) << bits << " bits, " << count;
        };
        expect_sorted([&](Record* data, Record* spare) { return radix_sort(data, spare, count, bits, key); });
        for (const int threads : {1, 3}) {
          ThreadPool pool(threads);
          expect_sorted([&](Record* data, Record* spare) { return radix_sort(pool, data, spare, count, bits, key); });
        }
      }
    }
  }
}

// Degrees of hubs are compared, the others counted.
TEST(Build, RelabellingByDegreeKeepsTheOrderOfEqualDegrees) {
  naive::Arcs arcs;
  const auto give = [&](VertexId from, VertexId degree) {
    for (VertexId i = 0; i < degree; ++i) arcs.push_back({from, i % 6});
  };
  for (const auto& [from, degree] : {std::pair<VertexId, VertexId>{0, 2}, {1, 4096}, {2, 2}, {3, 5000}, {4, 5000}, {5, 4095}})
    give(from, degree);
  ThreadPool pool(2);
  const Graph renamed = relabel(build_graph(list_of(7, arcs, Arcs::directed), {}, pool), VertexOrder::degree, pool);
  std::vector<std::uint64_t> names;
  for (VertexId v = 0; v < 7; ++v) names.push_back(renamed.names.number(v));
  EXPECT_EQ(names, (std::vector<std::uint64_t>{3, 4, 1, 5, 0, 2, 6}));
}

// Few arcs over many vertices: most buckets are empty, and rows outnumber arcs by far.
TEST(Build, FewArcsOverManyVertices) {
  constexpr VertexId kVertices = (test::kThreadSanitized ? 1u << 24 : 1u << 25) + 3;
  const Graph graph = build(kVertices, {{kVertices - 1, 0}, {1u << 24, kVertices - 1}, {3, 4}}, Arcs::directed);
  EXPECT_EQ(graph.num_vertices(), kVertices);
  EXPECT_EQ(graph.out.degree(3), 1u);
  EXPECT_EQ(graph.out.degree(1u << 24), 1u);
  EXPECT_EQ(graph.out.degree(kVertices - 1), 1u);
  EXPECT_EQ(graph.out.neighbours[2], 0u);
  expect_sound(graph.out);
}

}  // namespace
}  // namespace graphrun
