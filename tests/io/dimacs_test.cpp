// SPDX-License-Identifier: Apache-2.0

#include "io/stream_fixture.hpp"

namespace graphrun::test {
namespace {

class DimacsTest : public StreamTest {
 protected:
  Outcome parse(const std::string& content) { return read_good(io::open_dimacs, content); }
  std::string fault(const std::string& content) { return read_all_ways(io::open_dimacs, content).error; }
};

TEST_F(DimacsTest, ReadsCommentsBlankLinesAndCrlf) {
  const Outcome graph =
      parse("c 9th DIMACS\r\nc\r\n\r\n p  sp\t3 4 \r\nc arcs\na 1 2 17\r\n\na 2 1 17\n  a\t3  3 0 \na 1 2 4294967295");
  EXPECT_EQ(graph.num_vertices, 3u);
  EXPECT_EQ(graph.entries, (std::vector<Arc>{{0, 1, 17}, {1, 0, 17}, {2, 2, 0}, {0, 1, 4294967295u}}));
  EXPECT_EQ(graph.weight_kind, WeightKind::u32);
  EXPECT_EQ(graph.arcs, Arcs::directed);
}

TEST_F(DimacsTest, ANegativeWeightMakesThemF32) {
  const Outcome graph = parse("p sp 2 3\na 1 2 5\na 2 1 -7\na 1 1 9\n");
  EXPECT_EQ(graph.weight_kind, WeightKind::f32);
  EXPECT_EQ(graph.entries, (std::vector<Arc>{{0, 1, word(5)}, {1, 0, word(-7)}, {0, 0, word(9)}}));
}

TEST_F(DimacsTest, NoArcsAndNoVertices) {
  EXPECT_EQ(parse("p sp 5 0\n").num_vertices, 5u);
  EXPECT_EQ(parse("p sp 0 0").num_vertices, 0u);
  EXPECT_CONTAINS(fault("p sp 0 1\na 1 1 1\n"), "g.txt:2: id 1 is outside an empty range, the size that line 1 announces");
}

TEST_F(DimacsTest, RefusesBadProblemLines) {
  EXPECT_CONTAINS(fault("c only\n\nc comments\n"), "ends before its p line ('p sp VERTICES ARCS')");
  EXPECT_CONTAINS(fault("c\na 1 2 3\n"), "g.txt:2: expected 'p sp VERTICES ARCS', the first line that is no comment, found");
  EXPECT_CONTAINS(fault("p max 3 4\n"), "g.txt:1: problem 'max' is not supported");
  EXPECT_CONTAINS(fault("c\n\np sp 3\n"), "g.txt:3: the p line should read 'p sp VERTICES ARCS', but holds the end of");
  EXPECT_CONTAINS(fault("p sp 3 -1\n"), "but holds '-1'");
  EXPECT_CONTAINS(fault("p sp 3 1 7\na 1 2 3\n"), "g.txt:1: unexpected '7' after");
  EXPECT_CONTAINS(fault("p sp 3 99999999999999999999\n"), "does not fit 64 bits");
  if (kVertexBits == 32) {
    EXPECT_CONTAINS(fault("p sp 4294967296 1\na 1 2 3\n"), "g.txt:1: a graph of 4294967296 has more vertices than 32-bit ids");
  }
}

TEST_F(DimacsTest, ProblemLinesAreNotBelieved) {
  EXPECT_CONTAINS(fault("p sp 4000000000 1\na 1 2 3\n"), "too sparse");
  EXPECT_CONTAINS(fault("p sp 2 18446744073709551615\na 1 2 3\n"),
                  "the p line announces 18446744073709551615 arcs, but the file ends after 1");
}

TEST_F(DimacsTest, CountsMustAgree) {
  EXPECT_CONTAINS(fault("p sp 3 3\na 1 2 3\nc\na 2 3 4\n"), "the p line announces 3 arcs, but the file ends after 2");
  EXPECT_CONTAINS(fault("p sp 3 1\na 1 2 3\nc\na 2 3 4\nx\n"), "g.txt:4: more arcs than the 1 announced");
}

TEST_F(DimacsTest, RefusesBadLinesNamingTheFirst) {
  const std::string head = "c\np sp 3 3\na 1 2 3\n";
  EXPECT_CONTAINS(fault(head + "a 0 1 1\na 9 9 9\n"), "g.txt:4: id 0 is outside 1..3, the size that line 2 announces");
  EXPECT_CONTAINS(fault(head + "a 1 4 1\n"), "g.txt:4: id 4 is outside 1..3");
  EXPECT_CONTAINS(fault(head + "p sp 3 3\n"), "g.txt:4: expected 'a SOURCE TARGET WEIGHT' after the one 'p' line, found 'p'");
  EXPECT_CONTAINS(fault(head + "c\ne 1 2 3\n"), "g.txt:5: expected 'a SOURCE TARGET WEIGHT' after the one 'p' line, found 'e'");
  EXPECT_CONTAINS(fault(head + "a1 2 3\n"), "found 'a1'");
  EXPECT_CONTAINS(fault(head + "1 2 3\n"), "found '1'");
  EXPECT_CONTAINS(fault(head + "a 1 2\n"), "g.txt:4: expected a value after the two ids, found the end of the line");
  EXPECT_CONTAINS(fault(head + "a"), "g.txt:4: expected a vertex id, found the end of the file");
  EXPECT_CONTAINS(fault(head + "a 1 2 3 4\n"), "g.txt:4: unexpected '4' after the value");
  EXPECT_CONTAINS(fault(head + "a 1 2 1.5\n"), "g.txt:4: expected an integer value, found '1.5'");
  EXPECT_CONTAINS(fault(head + "a 1 2 18446744073709551616\n"), "g.txt:4: value '18446744073709551616' does not fit 64 bits");
}

// The header is behind more comments than a window holds.
TEST_F(DimacsTest, ManyCommentsAndSeveralWindows) {
  std::string content;
  for (int i = 0; i < 100; ++i) content += "c comment " + std::to_string(i) + "\n";
  content += "p sp 1000 1000\n";
  std::vector<Arc> expected;
  for (unsigned i = 0; i < 1000; ++i) {
    content += "a " + std::to_string(i + 1) + " " + std::to_string((i * 7) % 1000 + 1) + " " + std::to_string(i) + "\n";
    if (i % 100 == 0) content += "c more\n";
    expected.emplace_back(i, (i * 7) % 1000, i);
  }
  EXPECT_EQ(parse(content).entries, expected);
  EXPECT_CONTAINS(fault(content + "a 1 1 1\n"), "g.txt:1112: more arcs than the 1000 announced");
}

}  // namespace
}  // namespace graphrun::test
