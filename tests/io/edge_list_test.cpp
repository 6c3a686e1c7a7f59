// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/readers.hpp"
#include "io/entry_text.hpp"
#include "io/stream_fixture.hpp"

namespace graphrun::test {
namespace {

class EdgeListTest : public StreamTest {
 protected:
  EdgeList parse(const std::string& content) {
    EdgeList edges = read_edge_list(write("e.txt", content), pool);
    EXPECT_EQ(read_good(io::open_edge_list, content).entries, arcs_of(edges));
    return edges;
  }
  std::string fault(const std::string& content) {
    read_all_ways(io::open_edge_list, content);
    return error_of<DataError>([&] { read_edge_list(write("e.txt", content), pool); });
  }
};

TEST_F(EdgeListTest, ReadsCommentsBlanksTabsAndCrlf) {
  const EdgeList edges = parse("# SNAP\r\n% KONECT\n\n0\t1\r\n  \t \n 5   2 \n# more\n007 0");
  EXPECT_EQ(edges.num_vertices, 8u);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 0}, {5, 2, 0}, {7, 0, 0}}));
  EXPECT_EQ(edges.weight_kind, WeightKind::none);
  EXPECT_EQ(edges.arcs, Arcs::directed);
}

// Lines went past the end of the piece that they were formatted in.
TEST_F(EdgeListTest, OffsetsThatChangeWhileTheyAreWrittenEndIt) {
  constexpr std::size_t kEdges = 600000;
  Csr csr;
  csr.offsets = Column<EdgeId>::allocate(4);
  csr.offsets[1] = csr.offsets[3] = kEdges;  // the last row has the edges of the first one again
  csr.neighbours = Column<VertexId>::allocate(kEdges);
  OutputFile file(path("out.el"));
  EXPECT_CONTAINS(error_of<DataError>([&] { io::write_entries(file, path("out.el"), csr, {}, {}, pool); }),
                  "was written to while it was read");
}

TEST_F(EdgeListTest, WholeWeightsAreU32) {
  const EdgeList edges = parse("0 1 5\n1 2 4294967295\n2 0 3.0\n2 1 1e3\n1 1 0\n");
  EXPECT_EQ(edges.weight_kind, WeightKind::u32);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 5}, {1, 2, 4294967295u}, {2, 0, 3}, {2, 1, 1000}, {1, 1, 0}}));
}

TEST_F(EdgeListTest, OneOtherWeightMakesThemF32) {
  for (const auto& [text, value] : {std::pair{"-1", -1.f}, {"0.5", .5f}, {"18446744073709551616", 0x1p64f}, {"1e30", 1e30f}}) {
    const EdgeList edges = parse(std::string("0 1 5\n1 2 ") + text + "\n");
    EXPECT_EQ(edges.weight_kind, WeightKind::f32) << text;
    EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, word(5)}, {1, 2, word(value)}})) << text;
  }
}

TEST_F(EdgeListTest, OneBeyond32BitsMakesThemU64) {
  for (const auto& [text, value] : {std::pair{"4294967296", std::uint64_t{4294967296}}, {"1e19", 10'000'000'000'000'000'000u}}) {
    const EdgeList edges = parse(std::string("0 1 5\n1 2 ") + text + "\n");
    EXPECT_EQ(edges.weight_kind, WeightKind::u64) << text;
    EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 5}, {1, 2, value}})) << text;
  }
}

TEST_F(EdgeListTest, EveryLineHasAWeightOrNone) {
  EXPECT_CONTAINS(fault("0 1\n\n1 2 5\n"), "e.txt:3: unexpected '5' after the two ids");
  EXPECT_CONTAINS(fault("0 1 5\n1 2\n"), "e.txt:2: expected a value after the two ids");
  EXPECT_CONTAINS(fault("0 1 5\n1 2 5 1082040961\n"), "e.txt:2: unexpected '1082040961' after the value");
}

TEST_F(EdgeListTest, RefusesBadLines) {
  EXPECT_CONTAINS(fault("0 1\n-1 2\n"), ":2: vertex id '-1' is negative");
  EXPECT_CONTAINS(fault("0 1\n1,2\n"), ":2: expected a vertex id, found '1,2'");
  EXPECT_CONTAINS(fault("0 1\n2\n"), ":2: expected a vertex id, found the end of the line");
  EXPECT_CONTAINS(fault("0 1 nan\n"), "is not a finite 32-bit float");
  EXPECT_CONTAINS(fault("0 1 2\n0 1 0x10\n"), ":2: expected a number as value, found '0x10'");
  EXPECT_CONTAINS(fault("0 1\n" + std::string("1 \0 2\n", 6)), ":2: expected a vertex id, found '?'");
  EXPECT_CONTAINS(fault("0 1\n0 18446744073709551616\n"),
                  ":2: id '18446744073709551616' does not fit 64 bits (--vertices names takes any)");
}

TEST_F(EdgeListTest, TheFaultNamedIsTheFirstEvenWhenWeightsTurnOutToBeF32) {
  EXPECT_CONTAINS(fault("0 1 1\n0 x 1\n0 1 0.5\n0 y 1\n"), "e.txt:2:");
  EXPECT_CONTAINS(fault("0 1 0.5\n0 x 1\n0 y 1\n"), "e.txt:2:");
}

TEST_F(EdgeListTest, NoVertexIsNoId) {
  EXPECT_CONTAINS(fault("0 " + std::to_string(kNoVertex) + "\n"), "is outside 0.." + std::to_string(kNoVertex - 1));
}

// 13 bytes must not cost 32 GB of offsets.
TEST_F(EdgeListTest, RefusesIdsThatAreTooSparse) {
  EXPECT_CONTAINS(fault("0 4000000000\n"), "ids too sparse: 4000000001 vertices for 1 entries");
  EXPECT_EQ(parse("0 1000000\n").num_vertices, 1000001u);
}

TEST_F(EdgeListTest, TheDensityLimitGrowsWithTheEdges) {
  const std::uint64_t free = std::uint64_t{1} << 20;
  EXPECT_EQ(parse("0 " + std::to_string(free + 511) + "\n").num_vertices, free + 512);
  EXPECT_CONTAINS(fault("0 " + std::to_string(free + 512) + "\n"), "too sparse");
}

// The consumer of a stream decides what it does about sparse ids.
TEST_F(EdgeListTest, StreamsTakeSparseIds) {
  const Outcome graph = read_good(io::open_edge_list, "0 4000000000\n7 8\n");
  EXPECT_EQ(graph.num_vertices, 4000000001u);
  EXPECT_EQ(graph.entries, (std::vector<Arc>{{0, 4000000000u, 0}, {7, 8, 0}}));
}

TEST_F(EdgeListTest, BatchesCountVerticesSoFar) {
  io::ReadOptions options;
  options.batch_bytes = kOneLine;
  const auto stream = io::open_edge_list(write("e.txt", "# c\n0 1\n# c\n9 3\n2 2\n"), options, pool);
  EXPECT_FALSE(stream->count_known());
  std::vector<std::uint64_t> counts;
  std::vector<Arc> entries;
  for (EdgeList batch; stream->next(batch);) {
    for (const Arc& arc : arcs_of(batch)) entries.push_back(arc);
    counts.push_back(batch.num_vertices);
  }
  EXPECT_EQ(entries, (std::vector<Arc>{{0, 1, 0}, {9, 3, 0}, {2, 2, 0}}));
  ASSERT_GE(counts.size(), 3u);
  EXPECT_EQ(counts.front(), 2u);
  EXPECT_EQ(counts.back(), 10u);
}

TEST_F(EdgeListTest, WeightsTurnIntoF32InTheBatchThatNeedsItAndStaySo) {
  io::ReadOptions options;
  options.batch_bytes = kOneLine;
  const std::string file = write("e.txt", "0 1 16777217\n1 2 0.5\n2 3 4\n");
  const auto weights = [&] {
    std::vector<std::pair<WeightKind, std::uint32_t>> seen;
    const auto stream = io::open_edge_list(file, options, pool);
    for (EdgeList batch; stream->next(batch);) {
      for (const std::uint32_t weight : batch.weights.span()) seen.emplace_back(batch.weight_kind, weight);
    }
    return seen;
  };
  using Seen = std::vector<std::pair<WeightKind, std::uint32_t>>;
  EXPECT_EQ(weights(), (Seen{{WeightKind::u32, 16777217}, {WeightKind::f32, word(.5f)}, {WeightKind::f32, word(4)}}));
  options.float_weights = true;
  EXPECT_EQ(weights(), (Seen{{WeightKind::f32, word(16777216)}, {WeightKind::f32, word(.5f)}, {WeightKind::f32, word(4)}}));
}

TEST_F(EdgeListTest, AskingForF32MakesNoWeightsOutOfNone) {
  io::ReadOptions options;
  options.float_weights = true;
  EXPECT_EQ(read_good(io::open_edge_list, "0 1\n1 2\n", options).weight_kind, WeightKind::none);
}

TEST_F(EdgeListTest, TheFirstEdgeMayBeBehindManyWindowsOfComments) {
  std::string content;
  for (int i = 0; i < 50; ++i) content += "# comment " + std::to_string(i) + "\n\n";
  EXPECT_EQ(arcs_of(parse(content + "3 4 5\n")), (std::vector<Arc>{{3, 4, 5}}));
  EXPECT_TRUE(parse(content).sources.empty());
  EXPECT_CONTAINS(fault(content + "3 4 5\n" + content + "3 4\n"), "e.txt:202: expected a value");
}

// Gzip in windows: what is cut is the inflated text.
TEST_F(EdgeListTest, GzipInWindows) {
  std::string content;
  std::vector<Arc> expected;
  for (unsigned i = 0; i < 50000; ++i) {
    content += std::to_string(i) + "\t" + std::to_string(i * 31 % 50000) + (i % 7 == 0 ? "\r\n" : "\n");
    expected.emplace_back(i, i * 31 % 50000, 0);
  }
  io::ReadOptions options;
  options.batch_bytes = 100000;
  const std::size_t half = content.size() / 2;
  const Outcome members = read_stream(
      io::open_edge_list, write("e.gz", gzipped(content.substr(0, half)) + gzipped(content.substr(half))), options, pool);
  EXPECT_GT(members.batches, 3u);
  EXPECT_EQ(members.error, "");
  EXPECT_TRUE(members.entries == expected);
  const Outcome faulty = read_stream(io::open_edge_list, write("e.gz", gzipped(content + "1 -1\n")), options, one_thread);
  EXPECT_CONTAINS(faulty.error, "e.gz:50001: vertex id '-1' is negative");
}

}  // namespace
}  // namespace graphrun::test
