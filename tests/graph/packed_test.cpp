// SPDX-License-Identifier: Apache-2.0
// Lists come back out of packed lines as they were.
#include "graphrun/graph/packed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "graphrun/core/bit_fields.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/packed_walk.hpp"

namespace graphrun::test {
namespace {

using Lists = std::vector<std::vector<VertexId>>;

Graph graph_of(const Lists& lists) {
  Graph graph;
  graph.out.offsets = Column<EdgeId>::allocate(lists.size() + 1);
  for (std::size_t v = 0; v < lists.size(); ++v) graph.out.offsets[v + 1] = graph.out.offsets[v] + lists[v].size();
  graph.out.neighbours = Column<VertexId>::allocate(graph.out.offsets[lists.size()]);
  for (std::size_t v = 0; v < lists.size(); ++v) std::ranges::copy(lists[v], graph.out.neighbours.data() + graph.out.offsets[v]);
  return graph;
}

/// Of these lists, which are there in packed form alone.
Graph packed_graph(const Lists& lists, ThreadPool& pool) {
  Graph graph = graph_of(lists);
  graph.out.packed = pack_lists(graph.out, WeightKind::none, pool);
  keep_lists(graph, true);
  return graph;
}

void expect_unpacks(const Lists& lists) {
  ThreadPool pool(2);
  Graph graph = packed_graph(lists, pool);
  unpack_lists(graph, "test", pool);
  for (std::size_t v = 0; v < lists.size(); ++v) {
    const auto got = graph.out.neighbours.span().subspan(graph.out.offsets[v], lists[v].size());
    ASSERT_TRUE(std::ranges::equal(got, lists[v])) << "list " << v << " of " << lists[v].size();
  }
}

/// A list of `degree` whose gaps have at most `bits`.
std::vector<VertexId> ascending(std::mt19937_64& random, std::size_t degree, int bits) {
  std::vector<VertexId> list(degree);
  VertexId id = static_cast<VertexId>(random() >> (64 - bits));
  for (VertexId& u : list) {
    u = id;
    const auto gap = static_cast<VertexId>(random() >> (63 - bits) >> 1);
    id = id + gap < id ? id : id + gap;
  }
  return list;
}

std::vector<VertexId> any_list(std::mt19937_64& random) {
  constexpr std::size_t kDegrees[] = {0, 0, 1, 1, 2, 3, 4, 7, 8, 9, 24, 25, 55, 256, 257, 4096, 4097, 9000};
  const std::size_t degree = kDegrees[random() % std::size(kDegrees)];
  std::vector<VertexId> list = ascending(random, degree, 1 + static_cast<int>(random() % (kVertexBits - 1)));
  if (random() % 4 == 0) std::ranges::shuffle(list, random);
  if (random() % 4 == 0) std::ranges::fill(list, list.empty() ? 0 : list[0]);
  return list;
}

TEST(Packed, AnyListsComeBack) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937_64 random(seed);
    Lists lists(700);
    for (auto& list : lists) list = any_list(random);
    SCOPED_TRACE(seed);
    expect_unpacks(lists);
  }
}

TEST(Packed, NeighboursNearTheVertexShareLines) {
  Lists lists(70'000);
  for (VertexId v = 0; v < lists.size(); ++v) {
    for (const std::int64_t step : {-256, -1, 1, 256}) {
      const std::int64_t u = static_cast<std::int64_t>(v) + step;
      if (u >= 0 && u < static_cast<std::int64_t>(lists.size()) && v % 11 != 0) lists[v].push_back(static_cast<VertexId>(u));
    }
  }
  expect_unpacks(lists);
  ThreadPool pool(1);
  const Graph graph = graph_of(lists);
  EXPECT_LT(pack_lists(graph.out, WeightKind::none, pool).bits_an_edge(), 16);
}

TEST(Packed, IdsAtTheEndsOfTheirRange) {
  constexpr VertexId kLast = kNoVertex - 1;
  expect_unpacks({{0, kLast}, {kLast}, {kLast, 0}, {}, {0}, {kLast - 1, kLast, kLast}, {0, kLast / 2, kLast}});
}

TEST(Packed, NoListsAndEmptyOnes) {
  expect_unpacks({});
  expect_unpacks({{}});
  expect_unpacks(Lists(64));
}

// Pieces of cut lists, and lists of which the first neighbours were looked at before.
TEST(Packed, WalksBeginAndEndAnywhere) {
  ThreadPool pool(1);
  std::mt19937_64 random(9);
  Lists lists;
  for (const std::size_t degree : {1, 3, 5, 60, 300, 4097, 20'000}) lists.push_back(ascending(random, degree, 12));
  const Graph graph = packed_graph(lists, pool);
  const PackedLists packed = packed_lists(graph.out);
  for (VertexId v = 0; v < lists.size(); ++v) {
    for (int i = 0; i < 200; ++i) {
      const std::size_t begin = random() % lists[v].size();
      const std::size_t end = begin + 1 + random() % (lists[v].size() - begin);
      const EdgeId first = graph.out.offsets[v];
      std::vector<VertexId> got;
      walk_packed<false>(packed, {v, first + begin, first + end}, InMemory{packed.lines}, NoWeights{},
                         [&](const VertexId* ids, const std::uint32_t*, std::size_t count) {
                           got.insert(got.end(), ids, ids + count);
                           return true;
                         });
      ASSERT_TRUE(std::ranges::equal(got, std::span(lists[v]).subspan(begin, end - begin))) << v << " " << begin << " " << end;
    }
  }
}

// What host threads and warps find lines by.
TEST(Packed, PlacesOfLines) {
  constexpr EdgeId kStretch = packed::kStretchEdges;
  std::vector<std::uint64_t> read;
  const auto place = [&](EdgeId degree, EdgeId skip) {
    return packed::line_place(1000, degree, skip, [&](std::uint64_t position) {
      read.push_back(position);
      return std::uint32_t{500};
    });
  };
  const auto expect_place = [&](EdgeId degree, EdgeId skip, std::uint64_t position, EdgeId left) {
    const packed::LinePlace found = place(degree, skip);
    EXPECT_EQ(found.position, position) << degree << " " << skip;
    EXPECT_EQ(found.skip, left) << degree << " " << skip;
  };
  expect_place(1, 0, 1000, 0);
  expect_place(kStretch, kStretch - 1, 1000, kStretch - 1);
  expect_place(kStretch + 1, kStretch - 1, 1004, kStretch - 1);  // behind a directory of one word
  expect_place(2 * kStretch + 1, 0, 1008, 0);
  EXPECT_TRUE(read.empty());
  expect_place(kStretch + 1, kStretch, 3000, 0);
  expect_place(3 * kStretch, 2 * kStretch + 7, 3000, 7);
  EXPECT_EQ(read, (std::vector<std::uint64_t>{1000, 1004}));
}

TEST(Packed, PrefixesThatCannotBe) {
  packed::LineHead head{.width = 8, .count = 100, .kind = packed::LineKind::gaps, .bytes = 8};
  EXPECT_TRUE(head.fits(4096));
  EXPECT_TRUE(head.fits(107));
  EXPECT_FALSE(head.fits(106));  // 99 fields
  EXPECT_FALSE(head.fits(15));
  head.count = 121;
  EXPECT_TRUE(head.fits(4096));
  head.count = 122;
  EXPECT_FALSE(head.fits(4096));
  head.width = 0;
  head.count = packed::kMostEdges;
  EXPECT_TRUE(head.fits(16));
  for (const unsigned count : {0u, packed::kMostEdges + 1, 1023u}) {
    head.count = count;
    EXPECT_FALSE(head.fits(4096)) << count;
  }
  head.count = 1;
  head.width = packed::kMostWidth + 1;
  EXPECT_FALSE(head.fits(4096));
  head.width = 1;
  head.kind = static_cast<packed::LineKind>(3);
  EXPECT_FALSE(head.fits(4096));
}

TEST(Packed, SignsAreInTheLowestBit) {
  std::uint64_t folded = 0;
  for (const std::int64_t number : {0, -1, 1, -2, 2}) EXPECT_EQ(packed::unfold(folded++), static_cast<std::uint64_t>(number));
}

TEST(Packed, WeightsOfAnyWidthComeBack) {
  ThreadPool pool(2);
  std::mt19937_64 random(5);
  for (unsigned width = 0; width <= 32; ++width) {
    Graph graph = graph_of({std::vector<VertexId>(70'001, 3), {}, {}, {}});
    graph.weight_kind = WeightKind::u32;
    graph.out.weights = Column<std::uint32_t>::allocate(graph.num_edges());
    const std::uint32_t base = width == 32 ? 0 : static_cast<std::uint32_t>(random() % ((1ull << 32) - (1ull << width) + 1));
    for (std::uint32_t& word : std::span(graph.out.weights.data(), graph.num_edges()))
      word = base + static_cast<std::uint32_t>(random() & ((1ull << width) - 1));
    const std::vector<std::uint32_t> weights(graph.out.weights.data(), graph.out.weights.data() + graph.num_edges());
    graph.out.packed = pack_lists(graph.out, graph.weight_kind, pool);
    EXPECT_EQ(graph.out.packed.weight_code.is_packed(), width < 32) << width;
    keep_lists(graph, true);
    unpack_lists(graph, "test", pool);
    ASSERT_TRUE(std::ranges::equal(graph.out.weights.span(), weights)) << width;
  }
}

// Only reads within the column are allowed, and an answer or a sentence: the guards and AddressSanitizer see the others.
TEST(Packed, DamagedLinesEndWithASentence) {
  ThreadPool pool(1);
  std::mt19937_64 random(3);
  Lists lists(100);
  for (auto& list : lists) list = any_list(random);
  const Graph sound = packed_graph(lists, pool);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    Graph graph = sound;
    graph.out.packed.lines = Column<std::byte>::allocate(sound.out.packed.lines.size());
    std::ranges::copy(sound.out.packed.lines.span(), graph.out.packed.lines.data());
    graph.out.packed.groups = Column<packed::Group>::allocate(sound.out.packed.groups.size());
    std::ranges::copy(sound.out.packed.groups.span(), graph.out.packed.groups.data());
    if (i % 2 == 0) {
      for (int k = 0; k < 64; ++k)
        graph.out.packed.lines[random() % graph.out.packed.lines.size()] = static_cast<std::byte>(random());
    } else {
      auto* const bytes = reinterpret_cast<std::byte*>(graph.out.packed.groups.data());
      bytes[random() % graph.out.packed.groups.bytes()] = static_cast<std::byte>(random());
    }
    try {
      unpack_lists(graph, "damaged", pool);
    } catch (const DataError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).substr(0, 13), "damaged (out)") << error.what();
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Packed, WhatReadsPlainListsRefusesPackedOnes) {
  ThreadPool pool(1);
  Graph graph = packed_graph({{1, 2}, {0}, {0}}, pool);
  graph.symmetric = true;
  graph.weight_kind = WeightKind::u32;
  EXPECT_THROW(transpose(graph.out, pool), UsageError);
  EXPECT_THROW(assign_weights(graph, parse_weight_source("random:1"), pool), UsageError);
  EXPECT_THROW(is_balanced(graph, pool), UsageError);
}

TEST(BitFields, AreWhatWasPackedWhereverTheyEnd) {
  std::mt19937_64 random(7);
  for (unsigned width = 0; width <= 32; ++width) {
    for (const std::size_t count : {1, 2, 7, 8, 9, 31, 200}) {
      std::vector<std::uint32_t> values(count);
      for (auto& value : values) value = static_cast<std::uint32_t>(random() & ((1ull << width) - 1));
      const std::size_t bytes = (count * width + 7) / 8;
      std::vector<std::byte> room(32 + bytes);  // ends with the last field, so that a read behind it is seen
      pack_fields(values.data(), count, width, room.data() + 32);
      std::vector<std::uint32_t> out(count + kFieldsBehind);
      const auto unpack = [&] {
        unpack_fields(room.data() + 32, room.data() + room.size(), width, static_cast<unsigned>(count), out.data());
      };
      unpack();
      EXPECT_TRUE(std::equal(values.begin(), values.end(), out.begin())) << width << " " << count;
      std::uint32_t sum = 5;
      for (auto& value : values) value = sum += value;
      sum_fields(room.data() + 32, room.data() + room.size(), width, static_cast<unsigned>(count), 5, out.data());
      EXPECT_TRUE(std::equal(values.begin(), values.end(), out.begin())) << width << " " << count;
    }
  }
}

}  // namespace
}  // namespace graphrun::test
