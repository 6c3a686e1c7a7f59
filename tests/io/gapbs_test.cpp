// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

/// 0 -> 1, 0 -> 2, 2 -> 2, then the inverse.
const std::string kDirected = Bytes().u8(1).u64({3, 3}).u64({0, 2, 2, 3}).u32({1, 2, 2}).u64({0, 0, 1, 3}).u32({0, 0, 2});
const std::string kDirectedWeighted =
    Bytes().u8(1).u64({3, 3}).u64({0, 2, 2, 3}).u32({1, 7, 2, 8, 2, 9}).u64({0, 0, 1, 3}).u32({0, 7, 0, 8, 2, 9});
/// 0 - 1, 1 - 1.
const std::string kUndirected = Bytes().u8(0).u64({3, 2}).u64({0, 1, 3}).u32({1, 0, 1});

constexpr std::size_t kEdges = 1;
constexpr std::size_t kVertices = 9;
constexpr std::size_t kOffsets = 17;

class GapbsTest : public BinaryTest {
 protected:
  Graph read_bytes(const std::string& bytes, const std::string& name = "g.sg") {
    return io::read_as<io::kGapbs>(write(name, bytes), defaults, memory, pool);
  }
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { read_bytes(bytes); });
  }
  std::string written(const Graph& graph, const std::string& name, const io::WriteOptions& options) {
    io::write_as<io::kGapbs>(graph, path(name), options, memory, pool);
    return read(name);
  }
};

TEST_F(GapbsTest, GoldenBytes) {
  EXPECT_EQ(written(three_arcs(), "g.sg", plain), kDirected);
  EXPECT_EQ(written(three_arcs(WeightKind::u32), "w.sg", plain), kDirected);
  EXPECT_EQ(written(three_arcs(WeightKind::u32), "g.wsg", weighted), kDirectedWeighted);
  EXPECT_EQ(written(three_arcs(WeightKind::f32), "f.wsg", weighted), kDirectedWeighted);
  EXPECT_EQ(written(graph_of(2, {{0, 1, 0}, {1, 0, 0}, {1, 1, 0}}, WeightKind::none, true), "u.sg", plain), kUndirected);
}

TEST_F(GapbsTest, AStoredTransposeIsWrittenAsItIs) {
  Graph graph = three_arcs();
  graph.in = graph_of(3, {{1, 0, 0}, {2, 2, 0}, {2, 0, 0}}).out;  // in another order than transpose() makes
  const std::string bytes = written(graph, "g.sg", plain);
  EXPECT_EQ(bytes, kDirected.substr(0, kDirected.size() - 8) + std::string(Bytes().u32({2, 0})));
  expect_same_rows(*read_bytes(bytes).in, *graph.in);
}

TEST_F(GapbsTest, ReadsTheInverseWithoutItsWeights) {
  for (const std::string& bytes : {kDirected, kDirectedWeighted}) {
    const Graph graph = read_bytes(bytes);
    EXPECT_FALSE(graph.symmetric);
    ASSERT_TRUE(graph.in.has_value());
    expect_same_rows(*graph.in, graph_of(3, {{1, 0, 0}, {2, 0, 0}, {2, 2, 0}}).out);
  }
  expect_same_arcs(read_bytes(kDirectedWeighted), three_arcs(WeightKind::u32));
}

TEST_F(GapbsTest, ReadsUndirected) {
  const Graph graph = read_bytes(kUndirected);
  EXPECT_TRUE(graph.symmetric);
  EXPECT_FALSE(graph.in.has_value());
  expect_same_arcs(graph, graph_of(2, {{0, 1, 0}, {1, 0, 0}, {1, 1, 0}}));
}

TEST_F(GapbsTest, NegativeWeightsAreFloats) {
  const std::string bytes = Bytes().u8(0).u64({2, 2}).u64({0, 1, 2}).u32({1, static_cast<std::uint32_t>(-5), 0, 6});
  const Graph expected = graph_of(2, {{0, 1, word(-5.f)}, {1, 0, word(6.f)}}, WeightKind::f32);
  for (const Workspace& space : {memory, tiny()}) {
    expect_same_arcs(io::read_as<io::kGapbs>(write("g.wsg", bytes), defaults, space, pool), expected);
  }
  EXPECT_EQ(written(read_bytes(bytes), "back.wsg", weighted), bytes);
}

TEST_F(GapbsTest, FloatsOnRequest) {
  const io::ReadOptions floats{.float_weights = true};
  expect_same_arcs(io::read_as<io::kGapbs>(write("g.wsg", kDirectedWeighted), floats, memory, pool), three_arcs(WeightKind::f32));
}

TEST_F(GapbsTest, WithoutEdgesTheSuffixSaysWhetherThereAreWeights) {
  const std::string bytes = Bytes().u8(0).u64({0, 1}).u64({0, 0});
  EXPECT_EQ(read_bytes(bytes, "g.sg").weight_kind, WeightKind::none);
  EXPECT_EQ(read_bytes(bytes, "g.wsg").weight_kind, WeightKind::u32);
}

TEST_F(GapbsTest, Lies) {
  EXPECT_CONTAINS(fault(poked(kDirected, 0, char{2})), "byte 0 is 2");
  EXPECT_CONTAINS(fault(poked(kDirected, 0, char{0})), "3 vertices and 3 edges, which take 61 or 73 bytes");
  EXPECT_CONTAINS(fault(std::string(40, '\0')), "0 vertices and 0 edges, which take 25 bytes, but the file has 40");
  EXPECT_CONTAINS(fault(poked(kDirected, kEdges, std::uint64_t{4})), "4 edges, which take 113 or 145 bytes");
  EXPECT_CONTAINS(fault(poked(kDirected, kVertices, std::uint64_t{2})), "2 vertices");
  EXPECT_CONTAINS(fault(poked(kDirected, kOffsets, std::uint64_t{1})), "first offset is 1");
  EXPECT_CONTAINS(fault(poked(kDirected, kOffsets + 8, std::uint64_t{3})), "offsets decrease after vertex 1");
  EXPECT_CONTAINS(fault(poked(kDirected, kOffsets + 24, std::uint64_t{4})), "last offset is 4");
  EXPECT_CONTAINS(fault(poked(kDirected, kOffsets + 32, std::uint32_t{3})), "edge 0 leads to vertex 3");
  EXPECT_CONTAINS(fault(poked(kDirected, kOffsets + 32, std::int32_t{-1})), "edge 0 leads to vertex");
  EXPECT_CONTAINS(fault(poked(kDirected, kDirected.size() - 4, std::uint32_t{3})), "(inverse): edge 2 leads to vertex 3");
  EXPECT_CONTAINS(fault(poked(kDirected, kDirected.size() - 4, std::uint32_t{1})), "is not the inverse of the graph");
}

TEST_F(GapbsTest, CountsWhoseProductsOverflow) {
  for (const std::uint64_t lie : {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 3,
                                  (std::uint64_t{1} << 62) + 3}) {
    for (const std::size_t field : {kEdges, kVertices}) {
      const std::string bytes = poked(kDirected, field, lie);
      EXPECT_CONTAINS(fault(bytes), "but the file has 105");
      EXPECT_FALSE(is_as<io::kGapbs>(head("g.sg")));
    }
  }
}

TEST_F(GapbsTest, WhatTheFormatCannotHold) {
  const auto refusal = [&](WeightKind kind, std::uint32_t weight) {
    const Graph graph = graph_of(2, {{0, 1, 1}, {1, 0, weight}}, kind);
    const std::string message =
        error_of<UsageError>([&] { io::write_as<io::kGapbs>(graph, path("g.wsg"), weighted, memory, pool); });
    EXPECT_EQ(files(), 0u);
    return message;
  };
  EXPECT_CONTAINS(refusal(WeightKind::u32, 2147483648u), "the weight of edge 1 is 2147483648");
  EXPECT_CONTAINS(refusal(WeightKind::u32, 4294967295u), "the weight of edge 1 is 4294967295");
  // The first weight, 1 as a word, is the smallest float and not whole either.
  EXPECT_CONTAINS(refusal(WeightKind::f32, word(2.5f)), "the weight of edge 0 is 1");
}

TEST_F(GapbsTest, LargeWholeWeightsAreExact) {
  const Graph graph = graph_of(1, {{0, 0, 2147483647}, {0, 0, 16777217}}, WeightKind::u32, true);
  const std::string bytes = written(graph, "g.wsg", weighted);
  EXPECT_EQ(bytes, std::string(Bytes().u8(0).u64({2, 1}).u64({0, 2}).u32({0, 2147483647, 0, 16777217})));
  expect_same_arcs(read_bytes(bytes), graph);
}

TEST_F(GapbsTest, FloatsAreWrittenWhenTheyAreWholeAndInRange) {
  const auto write_one = [&](float weight) {
    const Graph graph = graph_of(1, {{0, 0, word(weight)}}, WeightKind::f32, true);
    return written(graph, "g.wsg", weighted).substr(kOffsets + 16 + 4);
  };
  EXPECT_EQ(write_one(-2147483648.f), std::string(Bytes().u32({0x80000000u})));
  EXPECT_EQ(write_one(2147483520.f), std::string(Bytes().u32({0x7fffff80u})));
  EXPECT_EQ(write_one(-0.f), std::string(Bytes().u32({0})));
  for (const float bad :
       {2147483648.f, -2147483904.f, 0.5f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_CONTAINS(error_of<UsageError>([&] { write_one(bad); }),
                    "the format holds whole numbers from -2147483648 to 2147483647");
  }
}

TEST_F(GapbsTest, SuffixesMustNotLie) {
  EXPECT_CONTAINS(error_of<UsageError>([&] { written(three_arcs(WeightKind::u32), "g.sg", weighted); }), "expect that of .wsg");
  EXPECT_CONTAINS(error_of<UsageError>([&] { written(three_arcs(WeightKind::u32), "g.wsg", plain); }), "expect that of .sg");
}

#if GRAPHRUN_VERTEX_BITS == 64
TEST_F(GapbsTest, TooManyVertices) {
  Graph graph;  // of which no page is ever touched: only its size is looked at
  graph.out.offsets = Column<EdgeId>::allocate((std::size_t{1} << 31) + 1);
  EXPECT_CONTAINS(error_of<UsageError>([&] { io::write_as<io::kGapbs>(graph, path("g.sg"), plain, memory, pool); }),
                  "2147483648 vertices, but the format holds at most 2147483647");
}
#endif

}  // namespace
}  // namespace graphrun::test
