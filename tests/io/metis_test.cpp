// SPDX-License-Identifier: Apache-2.0

#include "io/stream_fixture.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

class MetisTest : public StreamTest {
 protected:
  Outcome parse(const std::string& text, io::ReadOptions options = {}) { return read_good(io::open_metis, text, options); }
  std::string fault(const std::string& content) { return read_all_ways(io::open_metis, content).error; }
};

const std::vector<Arc> kTriangleAndTail{{0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 2, 0}, {2, 0, 0}, {2, 1, 0}, {2, 4, 0}, {4, 2, 0}};

TEST_F(MetisTest, AnEmptyLineIsAVertexWithoutNeighbours) {
  const Outcome graph = parse("5 4\n2 3\n1 3\n1 2 5\n\n3\n");
  EXPECT_EQ(graph.num_vertices, 5u);
  EXPECT_EQ(graph.entries, kTriangleAndTail);
  EXPECT_EQ(graph.weight_kind, WeightKind::none);
  EXPECT_EQ(graph.arcs, Arcs::mirrored);
}

TEST_F(MetisTest, CommentsBlanksAndCrlf) {
  const Outcome graph = parse("% c\r\n%\n 5\t4 0 \r\n%1\n 2  3 \r\n%2\n%\n1\t3\r\n1 2 5 \r\n \t\r\n% last\n3");
  EXPECT_EQ(graph.num_vertices, 5u);
  EXPECT_EQ(graph.entries, kTriangleAndTail);
}

TEST_F(MetisTest, BlankLinesAndCommentsMayFollow) {
  EXPECT_EQ(parse("2 1\n2\n1\n\n\n% end\n  \n").entries, (std::vector<Arc>{{0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(parse("2 0\n\n\n\n").num_vertices, 2u);
}

TEST_F(MetisTest, NoVertices) {
  EXPECT_EQ(parse("0 0").num_vertices, 0u);
  EXPECT_EQ(parse("0 0\n\n").entries.size(), 0u);
}

TEST_F(MetisTest, EdgeWeights) {
  const std::vector<Arc> expected{{0, 1, 7}, {0, 2, 4294967295u}, {1, 0, 7}, {2, 0, 4294967295u}};
  for (const char* format : {"1", "01", "001"}) {
    const Outcome graph = parse(std::string("3 2 ") + format + "\n2 7 3 4294967295\n1 7\n1 4294967295\n");
    EXPECT_EQ(graph.weight_kind, WeightKind::u32);
    EXPECT_EQ(graph.entries, expected) << format;
  }
}

TEST_F(MetisTest, EdgeWeightsAreF32WhenAskedFor) {
  io::ReadOptions options;
  options.float_weights = true;
  const Outcome graph = parse("2 1 1\n2 7\n1 7\n", options);
  EXPECT_EQ(graph.weight_kind, WeightKind::f32);
  EXPECT_EQ(graph.entries, (std::vector<Arc>{{0, 1, word(7)}, {1, 0, word(7)}}));
}

TEST_F(MetisTest, VertexSizesAndWeightsAreSkipped) {
  const std::vector<Arc> plain{{0, 1, 0}, {1, 0, 0}};
  EXPECT_EQ(parse("3 1 10\n5 2\n6 1\n7\n").entries, plain);
  EXPECT_EQ(parse("3 1 10 0\n5 2\n6 1\n7\n").entries, plain);
  EXPECT_EQ(parse("3 1 010 3\n5 5 5 2\n6 6 6 1\n7 7 7\n").entries, plain);
  EXPECT_EQ(parse("3 1 100\n5 2\n6 1\n7\n").entries, plain);
  EXPECT_EQ(parse("3 1 110 2\n1 5 5 2\n1 6 6 1\n1 7 7\n").entries, plain);
  EXPECT_EQ(parse("3 1 111 2\n1 5 5 2 9\n1 6 6 1 9\n1 7 7\n").entries, (std::vector<Arc>{{0, 1, 9}, {1, 0, 9}}));
}

// METIS has no rule for them: a loop may be listed once or twice, and one listed once may count as one edge.
TEST_F(MetisTest, SelfLoopsAreTakenAsListed) {
  EXPECT_EQ(parse("2 2\n1 2\n1\n").entries, (std::vector<Arc>{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(parse("2 2\n1 1 2\n1\n").entries, (std::vector<Arc>{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_CONTAINS(fault("2 3\n1 2\n1\n"), "announces 3 edges, which is 6 neighbours in all, but the lines list 3");
}

TEST_F(MetisTest, RefusesBadHeaders) {
  EXPECT_CONTAINS(fault("% nothing\n"), "ends before its header ('VERTICES EDGES [FMT [NCON]]')");
  EXPECT_CONTAINS(fault("%\n5\n"),
                  "g.txt:2: the header should read 'VERTICES EDGES [FMT [NCON]]', but holds the end of the line");
  EXPECT_CONTAINS(fault("5 x\n"), "but holds 'x'");
  EXPECT_CONTAINS(fault("5 4 2\n"), "g.txt:1: format '2' in the header should be up to three digits of 0 and 1");
  EXPECT_CONTAINS(fault("5 4 1000\n"), "format '1000'");
  EXPECT_CONTAINS(fault("5 4 1 2\n"), "2 weights a vertex are announced, but format '1' has none");
  EXPECT_CONTAINS(fault("5 4 10 18446744073709551615\n"), "18446744073709551615 weights a vertex cannot be");
  EXPECT_CONTAINS(fault("5 4 10 1 1\n"), "unexpected '1' after");
  EXPECT_CONTAINS(fault("5 18446744073709551615\n"), "edges cannot be");
  if (kVertexBits == 32) {
    EXPECT_CONTAINS(fault("4294967296 1\n"), "a graph of 4294967296 has more vertices than 32-bit ids");
  }
}

TEST_F(MetisTest, HeadersAreNotBelieved) {
  EXPECT_CONTAINS(fault("4000000000 1\n2\n1\n"), "announces 4000000000 vertices, but the file ends after 2");
  EXPECT_CONTAINS(fault("2 9000000000000000000\n2\n1\n"),
                  "announces 9000000000000000000 edges, which is 18000000000000000000 neighbours in all, but the lines list 2");
}

TEST_F(MetisTest, CountsMustAgree) {
  EXPECT_CONTAINS(fault("3 1\n2\n1\n"), "the header announces 3 vertices, but the file ends after 2");
  EXPECT_CONTAINS(fault("2 1\n2\n1\n\n%\n1\nx\n"), "g.txt:6: more lines than the 2 vertices announced");
  EXPECT_CONTAINS(fault("3 2\n2\n1\n\n"), "announces 2 edges, which is 4 neighbours in all, but the lines list 2");
  EXPECT_CONTAINS(fault("3 1\n2\n1 3\n2\n"), "g.txt:3: more neighbours than 1 edges can have, the number announced");
}

TEST_F(MetisTest, RefusesBadLinesNamingTheFirst) {
  EXPECT_CONTAINS(fault("%\n3 2\n2\n1 4\n0\n"), "g.txt:4: id 4 is outside 1..3, the vertices that line 2 announces");
  EXPECT_CONTAINS(fault("3 2\n2\n0 3\n"), "g.txt:3: id 0 is outside 1..3");
  EXPECT_CONTAINS(fault("3 2\n2\n-1\n"), "g.txt:3: vertex id '-1' is negative");
  EXPECT_CONTAINS(fault("3 2\n2,3\n"), "g.txt:2: expected a vertex id, found '2,3'");
  EXPECT_CONTAINS(fault("3 2 1\n2 5 3\n"), "g.txt:2: expected the weight of an edge, a whole number, found the end of");
  EXPECT_CONTAINS(fault("3 2 1\n2 -5\n"), "g.txt:2: expected the weight of an edge, a whole number, found '-5'");
  EXPECT_CONTAINS(fault("3 2 1\n2 1.5\n"), "found '1.5'");
  EXPECT_CONTAINS(fault("3 2 1\n2 18446744073709551616\n"), "g.txt:2: weight '18446744073709551616' does not fit 64 bits");
  EXPECT_CONTAINS(fault("3 2 110 2\n1 1 1\n1 1"),
                  "g.txt:3: expected the size or a weight of the vertex, a whole number, found the end");
  EXPECT_CONTAINS(fault("3 2 10\n1 2\n\n"),
                  "g.txt:3: expected the size or a weight of the vertex, a whole number, found the end");
}

// Several pieces of a megabyte, and windows that are not: a ring whose lines have comments and blank vertices among them.
TEST_F(MetisTest, LargeFilesInPieces) {
  constexpr unsigned kVertices = kSanitized ? 60000 : 300000;
  const auto ring = [](unsigned v) { return std::to_string(v % kVertices * 2 + 1); };  // every other vertex is isolated
  std::string content = std::to_string(2 * kVertices) + " " + std::to_string(kVertices) + " 1\n";
  std::vector<Arc> expected;
  std::size_t middle = 0;
  for (unsigned v = 0; v < kVertices; ++v) {
    if (v == kVertices / 2) middle = content.size();
    const unsigned before = (v + kVertices - 1) % kVertices;
    content += ring(before) + " " + std::to_string(before) + " " + ring(v + 1) + " " + std::to_string(v) + "\n\n";
    expected.emplace_back(2 * v, 2 * before, before);
    expected.emplace_back(2 * v, (v + 1) % kVertices * 2, v);
  }
  const auto read = [&](const std::string& text, std::size_t batch_bytes, ThreadPool& workers) {
    io::ReadOptions options;
    options.batch_bytes = batch_bytes;
    return read_stream(io::open_metis, write("ring.graph.gz", text), options, workers);
  };
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  const Outcome whole = read(content, kAll, pool);
  EXPECT_EQ(whole.error, "");
  EXPECT_TRUE(whole.entries == expected);
  EXPECT_TRUE(read(content, kAll, one_thread).same_as(whole));
  const Outcome windows = read(gzipped(content), std::size_t{1} << 17, pool);
  EXPECT_GT(windows.batches, 10u);
  EXPECT_TRUE(windows.same_as(whole)) << windows.error;

  content[middle] = 'x';
  content[content.size() - 5] = 'y';
  const std::string message = ":" + std::to_string(kVertices + 2) + ": expected a vertex id, found 'x";
  EXPECT_CONTAINS(read(content, kAll, pool).error, message);
  EXPECT_CONTAINS(read(gzipped(content), std::size_t{1} << 17, pool).error, message);
}

}  // namespace
}  // namespace graphrun::test
