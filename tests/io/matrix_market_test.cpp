// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/readers.hpp"
#include "io/stream_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kGeneral = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";
const std::string kInteger = "%%MatrixMarket matrix coordinate integer general\n";

class MatrixMarketTest : public StreamTest {
 protected:
  EdgeList parse(const std::string& content, bool bipartite = false) {
    read_all_ways(io::open_matrix_market, content, {.bipartite = bipartite});
    return read_matrix_market(write("m.mtx", content), bipartite, pool);
  }
  std::string fault(const std::string& content) {
    return error_of<DataError>([&] { parse(content); });
  }
};

TEST_F(MatrixMarketTest, ReadsPatternWithCommentsBlankLinesAndCrlf) {
  const EdgeList edges = parse(
      "%%MatrixMarket MATRIX Coordinate Pattern General\r\n% c\r\n\r\n  %c\r\n 3 3 3 \r\n1 2\r\n\r\n% late comment\r\n\t2   3 "
      "\r\n3 3");
  EXPECT_EQ(edges.num_vertices, 3u);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 0}, {1, 2, 0}, {2, 2, 0}}));
  EXPECT_EQ(edges.weight_kind, WeightKind::none);
  EXPECT_EQ(edges.arcs, Arcs::directed);
}

TEST_F(MatrixMarketTest, RealValuesInEveryNotation) {
  const EdgeList edges =
      parse(kReal + "2 2 9\n1 1 .0436\n1 2 -3.5\n2 1 1.\n2 2 +2e1\n1 1 1E-2\n1 1 0\n1 2 7\n1 2 1e-400\n1 2 3.4e38\n");
  EXPECT_EQ(edges.weight_kind, WeightKind::f32);
  const std::vector<float> expected{.0436f, -3.5f, 1.f, 20.f, .01f, 0.f, 7.f, 0.f, 3.4e38f};
  ASSERT_EQ(edges.weights.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(edges.weights[i], word(expected[i])) << i;
}

TEST_F(MatrixMarketTest, IntegerValuesAreU32UnlessOneIsNegative) {
  const EdgeList whole = parse(kInteger + "2 2 2\n1 2 4294967295\n2 1 0\n");
  EXPECT_EQ(whole.weight_kind, WeightKind::u32);
  EXPECT_EQ(arcs_of(whole), (std::vector<Arc>{{0, 1, 4294967295u}, {1, 0, 0}}));
  const EdgeList negative = parse(kInteger + "2 2 2\n1 2 5\n2 1 -7\n");
  EXPECT_EQ(negative.weight_kind, WeightKind::f32);
  EXPECT_EQ(arcs_of(negative), (std::vector<Arc>{{0, 1, word(5)}, {1, 0, word(-7)}}));
}

TEST_F(MatrixMarketTest, UnsignedIntegersOfScipyWereRefused) {
  const EdgeList edges = parse("%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 4294967295\n2 3 6\n");
  EXPECT_EQ(edges.weight_kind, WeightKind::u32);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 4294967295u}, {1, 2, 6}}));
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix array unsigned-integer general\n1 1\n1\n"), "format 'array'");
}

TEST_F(MatrixMarketTest, SymmetricEntriesStayAsStored) {
  const EdgeList edges = parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 1\n");
  EXPECT_EQ(edges.arcs, Arcs::mirror);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{1, 0, word(.5f)}, {2, 2, word(1)}}));
}

TEST_F(MatrixMarketTest, SkewSymmetricMirrorsNegated) {
  const EdgeList edges = parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 5\n3 1 -2\n3 3 0\n");
  EXPECT_EQ(edges.arcs, Arcs::mirrored);
  EXPECT_EQ(edges.weight_kind, WeightKind::f32);
  EXPECT_EQ(arcs_of(edges),
            (std::vector<Arc>{{1, 0, word(5)}, {0, 1, word(-5)}, {2, 0, word(-2)}, {0, 2, word(2)}, {2, 2, word(0)}}));
}

TEST_F(MatrixMarketTest, RectangularNeedsBipartite) {
  const std::string content = kGeneral + "2 3 2\n1 3\n2 1\n";
  EXPECT_CONTAINS(error_of<UsageError>([&] { parse(content); }), "--bipartite");
  const EdgeList edges = parse(content, true);
  EXPECT_EQ(edges.num_vertices, 5u);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 4, 0}, {1, 2, 0}}));
  EXPECT_CONTAINS(error_of<DataError>([&] { parse(kGeneral + "2 3 1\n3 1\n", true); }), ":3: id 3 is outside 1..2");
}

TEST_F(MatrixMarketTest, BipartiteLeavesSquareMatricesAlone) {
  EXPECT_EQ(parse(kGeneral + "2 2 1\n1 2\n", true).num_vertices, 2u);
}

TEST_F(MatrixMarketTest, NoEntriesAndNoVertices) {
  EXPECT_EQ(parse(kGeneral + "5 5 0\n").num_vertices, 5u);
  EXPECT_EQ(parse(kGeneral + "0 0 0").num_vertices, 0u);
  EXPECT_EQ(parse(kReal + "0 0 0\n").sources.size(), 0u);
  EXPECT_CONTAINS(fault(kGeneral + "0 0 1\n1 1\n"), ":3: id 1 is outside an empty range, the size that line 2 announces");
}

TEST_F(MatrixMarketTest, RefusesBadBanners) {
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"), ":1: field 'complex'");
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n"), "symmetry 'hermitian'");
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix array real general\n1 1\n1\n"), "dense");
  EXPECT_CONTAINS(fault("%%MatrixMarket vector coordinate real general\n1 1 0\n"), "object 'vector'");
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix coordinate real\n1 1 0\n"), "first line should read");
  EXPECT_CONTAINS(fault("%%MatrixMarket"), "first line should read");
}

TEST_F(MatrixMarketTest, RefusesBadSizeLines) {
  EXPECT_CONTAINS(fault(kGeneral), "ends before its size line");
  EXPECT_CONTAINS(fault(kGeneral + "% only\n%comments\n\n"), "ends before its size line");
  EXPECT_CONTAINS(fault(kGeneral + "%c\n2 2\n1 2\n"),
                  ":3: the size line should read 'rows columns entries', but holds the end of the line");
  EXPECT_CONTAINS(fault(kGeneral + "2 2 -1\n"), ":2: the size line should read");
  EXPECT_CONTAINS(fault(kGeneral + "2 2 1 9\n1 2\n"), ":2: unexpected '9'");
  EXPECT_CONTAINS(fault(kGeneral + "2 2 99999999999999999999\n1 2\n"), "does not fit 64 bits");
  EXPECT_CONTAINS(fault("%%MatrixMarket matrix coordinate pattern symmetric\n2 3 1\n1 2\n"), ":2: a symmetric matrix of 2 x 3");
}

TEST_F(MatrixMarketTest, SizeLinesAreNotBelieved) {
  const std::string far = std::to_string(kNoVertex) + " " + std::to_string(kNoVertex);
  EXPECT_CONTAINS(fault(kGeneral + far + " 1\n1 1\n"), "too sparse");
  EXPECT_CONTAINS(fault(kGeneral + "2 2 18446744073709551615\n1 1\n"),
                  "announces 18446744073709551615 entries, but the file ends after 1");
  EXPECT_CONTAINS(error_of<DataError>([&] { parse(kGeneral + std::to_string(kNoVertex) + " 2 1\n1 1\n", true); }),
                  "more vertices than");
  if (kVertexBits == 32) {
    EXPECT_CONTAINS(fault(kGeneral + "4294967296 4294967296 1\n1 1\n"), "32-bit ids");
  }
}

TEST_F(MatrixMarketTest, CountsMustAgree) {
  EXPECT_CONTAINS(fault(kGeneral + "3 3 3\n1 2\n2 3\n"), "announces 3 entries, but the file ends after 2");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1 2\n%\n2 3\n"), ":5: more entries than the 1 announced");
}

TEST_F(MatrixMarketTest, RefusesBadEntriesNamingTheLine) {
  EXPECT_CONTAINS(fault(kGeneral + "3 3 2\n1 2\n0 1\n"), "m.mtx:4: id 0 is outside 1..3, the size that line 2 announces");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1 4\n"), ":3: id 4 is outside 1..3");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n-1 2\n"), ":3: vertex id '-1' is negative");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1\n"), ":3: expected a vertex id, found the end of the line");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1"), ":3: expected a vertex id, found the end of the file");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1 x2\n"), ":3: expected a vertex id, found 'x2'");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1.0 2\n"), ":3: expected a vertex id, found '1.0'");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n99999999999999999999999 2\n"), "id '99999999999999999999999' is outside");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1 2 0.5\n"), ":3: unexpected '0.5' after the two ids");
  EXPECT_CONTAINS(fault(kReal + "3 3 1\n1 2\n"), ":3: expected a value after the two ids, found the end of the line");
  EXPECT_CONTAINS(fault(kReal + "3 3 1\n1 2 3 4\n"), ":3: unexpected '4' after the value");
  EXPECT_CONTAINS(fault(kReal + "3 3 1\n1 2 abc\n"), "expected a number as value, found 'abc'");
  EXPECT_CONTAINS(fault(kReal + "3 3 1\n1 2 +-1\n"), "expected a number as value");
  for (const char* bad : {"nan", "-inf", "1e39", "1e999", "infinity"}) {
    EXPECT_CONTAINS(fault(kReal + "3 3 1\n1 2 " + bad + "\n"), "is not a finite 32-bit float");
  }
  EXPECT_CONTAINS(fault(kInteger + "3 3 1\n1 2 1.5\n"), "expected an integer value, found '1.5'");
  EXPECT_CONTAINS(fault(kInteger + "3 3 1\n1 2 18446744073709551616\n"), "does not fit 64 bits");
}

TEST_F(MatrixMarketTest, TokensOfBinaryJunkAreShortAndPrintable) {
  const std::string message = fault(kGeneral + "3 3 1\n" + std::string(1000, '\x01') + "\n");
  EXPECT_CONTAINS(message, "????...'");
  EXPECT_LT(message.size(), directory.string().size() + 120);
}

TEST_F(MatrixMarketTest, TheHeaderMayBeBehindManyWindowsOfComments) {
  std::string comments;
  for (int i = 0; i < 50; ++i) comments += "% comment " + std::to_string(i) + "\n";
  const EdgeList edges = parse(kGeneral + comments + "3 3 2\n" + comments + "1 2\n" + comments + "2 3\n" + comments);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 0}, {1, 2, 0}}));
  EXPECT_CONTAINS(fault(kGeneral + comments + "3 3 2\n" + comments + "1 2\n4 1\n"),
                  ":104: id 4 is outside 1..3, the size that line 52 announces");
}

TEST_F(MatrixMarketTest, TheFirstFaultCountsBeforeWhatIsMissingAtTheEnd) {
  EXPECT_CONTAINS(fault(kGeneral + "3 3 9\n1 2\n2 x\n"), ":4: expected a vertex id, found 'x'");
  EXPECT_CONTAINS(fault(kGeneral + "3 3 1\n1 2\n2 x\n"), ":4: more entries than the 1 announced");
}

// The last batch is not published when the file has fewer entries than announced: who took it might believe that was all.
TEST_F(MatrixMarketTest, AShortFileFailsBeforeItsLastBatch) {
  io::ReadOptions options;
  options.batch_bytes = kOneLine;
  const auto stream = io::open_matrix_market(write("m.mtx", kGeneral + "3 3 3\n1 2\n2 3\n"), options, pool);
  EdgeList batch;
  std::size_t entries = 0;
  const std::string message = error_of<DataError>([&] {
    for (; stream->next(batch);) entries += batch.sources.size();
  });
  EXPECT_CONTAINS(message, "announces 3 entries, but the file ends after 2");
  EXPECT_EQ(entries, 1u);
}

TEST_F(MatrixMarketTest, SkewSymmetricInSeveralBlocks) {
  constexpr unsigned kEntries = 200000;
  std::string content = "%%MatrixMarket matrix coordinate real skew-symmetric\n1000 1000 " + std::to_string(kEntries) + "\n";
  std::vector<Arc> expected;
  for (unsigned i = 0; i < kEntries; ++i) {
    const unsigned row = i * 7 % 1000;
    const unsigned column = i % 3 == 0 ? row : i % 1000;
    content += std::to_string(row + 1) + " " + std::to_string(column + 1) + " " + std::to_string(i % 100) + "\n";
    expected.emplace_back(row, column, word(static_cast<float>(i % 100)));
    if (row != column) expected.emplace_back(column, row, word(-static_cast<float>(i % 100)));
  }
  const std::string file = write("m.mtx", content);
  EXPECT_TRUE(arcs_of(read_matrix_market(file, false, pool)) == expected);
  EXPECT_TRUE(arcs_of(read_matrix_market(file, false, one_thread)) == expected);
  const Outcome windows = read_stream(io::open_matrix_market, file, {.batch_bytes = 100000}, pool);
  EXPECT_GT(windows.batches, 10u);
  EXPECT_TRUE(windows.entries == expected);
}

// Several pieces of a megabyte: entries keep their order, and the first fault is the one named, however many follow.
TEST_F(MatrixMarketTest, LargeFilesInPieces) {
  constexpr int kEntries = 600000;
  std::string body;
  std::size_t middle = 0;
  for (int i = 0; i < kEntries; ++i) {
    if (i == kEntries / 2) middle = body.size();
    body += std::to_string(i % 1000 + 1) + " " + std::to_string((i * 7) % 1000 + 1) + (i % 3 == 0 ? "\r\n" : "\n");
  }
  const std::string head = kGeneral + "1000 1000 " + std::to_string(kEntries) + "\n";
  const EdgeList edges = read_matrix_market(write("m.mtx", head + body), false, pool);
  ASSERT_EQ(edges.sources.size(), static_cast<std::size_t>(kEntries));
  for (int i = 0; i < kEntries; ++i) {
    ASSERT_EQ(edges.sources[static_cast<std::size_t>(i)], static_cast<VertexId>(i % 1000)) << i;
    ASSERT_EQ(edges.targets[static_cast<std::size_t>(i)], static_cast<VertexId>((i * 7) % 1000)) << i;
  }
  std::string damaged = body;
  damaged[middle] = 'x';
  damaged[damaged.size() - 3] = 'y';
  const std::string file = write("m.mtx", head + damaged);
  const std::string message = "m.mtx:" + std::to_string(kEntries / 2 + 3) + ": expected a vertex id";
  EXPECT_CONTAINS(error_of<DataError>([&] { read_matrix_market(file, false, pool); }), message);
  EXPECT_CONTAINS(read_stream(io::open_matrix_market, file, {.batch_bytes = 100000}, pool).error, message);
}

}  // namespace
}  // namespace graphrun::test
