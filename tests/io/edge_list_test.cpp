#include "graphrun/io/readers.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {
namespace {

class EdgeListTest : public IoTest {
 protected:
  EdgeList parse(const std::string& content) { return read_edge_list(write("e.txt", content), pool); }
  std::string fault(const std::string& content) {
    return error_of<DataError>([&] { parse(content); });
  }
};

TEST_F(EdgeListTest, ReadsCommentsBlanksTabsAndCrlf) {
  const EdgeList edges = parse("# SNAP\r\n% KONECT\n\n0\t1\r\n  \t \n 5   2 \n# more\n007 0");
  EXPECT_EQ(edges.num_vertices, 8u);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 0}, {5, 2, 0}, {7, 0, 0}}));
  EXPECT_EQ(edges.weight_kind, WeightKind::none);
  EXPECT_EQ(edges.arcs, Arcs::directed);
}

TEST_F(EdgeListTest, WholeWeightsAreU32) {
  const EdgeList edges = parse("0 1 5\n1 2 4294967295\n2 0 3.0\n2 1 1e3\n1 1 0\n");
  EXPECT_EQ(edges.weight_kind, WeightKind::u32);
  EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, 5}, {1, 2, 4294967295u}, {2, 0, 3}, {2, 1, 1000}, {1, 1, 0}}));
}

TEST_F(EdgeListTest, OneOtherWeightMakesThemF32) {
  for (const auto& [text, value] : {std::pair{"-1", -1.f}, {"0.5", .5f}, {"4294967296", 4294967296.f}, {"1e30", 1e30f}}) {
    const EdgeList edges = parse(std::string("0 1 5\n1 2 ") + text + "\n");
    EXPECT_EQ(edges.weight_kind, WeightKind::f32) << text;
    EXPECT_EQ(arcs_of(edges), (std::vector<Arc>{{0, 1, word(5)}, {1, 2, word(value)}})) << text;
  }
}

TEST_F(EdgeListTest, EveryLineHasAWeightOrNone) {
  EXPECT_CONTAINS(fault("0 1\n\n1 2 5\n"), "e.txt:3: unexpected '5' after the two ids");
  EXPECT_CONTAINS(fault("0 1 5\n1 2\n"), "e.txt:2: expected a value after the two ids");
  EXPECT_CONTAINS(fault("0 1 5 1082040961\n"), "e.txt:1: unexpected '1082040961' after the value");
}

TEST_F(EdgeListTest, RefusesBadLines) {
  EXPECT_CONTAINS(fault("# nothing\n"), "holds no edges");
  EXPECT_CONTAINS(fault("0 1\n-1 2\n"), ":2: vertex id '-1' is negative");
  EXPECT_CONTAINS(fault("0 1\n1,2\n"), ":2: expected a vertex id, found '1,2'");
  EXPECT_CONTAINS(fault("0 1\n2\n"), ":2: expected a vertex id, found the end of the line");
  EXPECT_CONTAINS(fault("0 1 nan\n"), "is not a finite 32-bit float");
  EXPECT_CONTAINS(fault("0 1 2\n0 1 0x10\n"), ":2: expected a number as value, found '0x10'");
  EXPECT_CONTAINS(fault("0 1\n" + std::string("1 \0 2\n", 6)), ":2: expected a vertex id, found '?'");
  EXPECT_CONTAINS(fault("0 1\n0 18446744073709551616\n"), ":2: id '18446744073709551616' is outside");
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

}  // namespace
}  // namespace graphrun::test
