// SPDX-License-Identifier: Apache-2.0

#include "support/digest_of.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

TEST(Digest, BfsCountsReachedVerticesOnly) {
  const Digest got = test::digest_of(BfsOutput{2, {2, kNoVertex, 2, 0}, {1, kUnreachedLevel, 0, 2}});
  EXPECT_EQ(got.source, 2U);
  EXPECT_EQ(got.count("reached"), 3U);
  EXPECT_EQ(got.count("max_level"), 2U);
  EXPECT_EQ(got.count("sum_levels"), 3U);
  EXPECT_EQ(got.checksum, 1U * 2 + 3 * 1 + 4 * 3);
}

TEST(Digest, SsspOfWholeDistances) {
  const Digest got = test::digest_of(SsspOutput{1, std::vector<std::uint64_t>{7, 0, kUnreachedDistance, std::uint64_t{1} << 40}});
  EXPECT_EQ(got.source, 1U);
  EXPECT_EQ(got.count("reached"), 3U);
  EXPECT_EQ(got.number("max_distance"), 0x1p40);
  EXPECT_EQ(got.number("sum_distances"), 0x1p40 + 7);
  EXPECT_EQ(got.checksum, 1 * 8 + 2 * 1 + 4 * ((std::uint64_t{1} << 40) + 1));
}

TEST(Digest, SsspChecksumWraps) {
  const std::uint64_t far = kUnreachedDistance - 1;
  EXPECT_EQ(test::digest_of(SsspOutput{0, std::vector<std::uint64_t>{0, far}}).checksum, 1 + 2 * (far + 1));
}

TEST(Digest, SsspOfFloatsTakesTheirBits) {
  const Digest got = test::digest_of(SsspOutput{0, std::vector<float>{0, 1.5F, std::numeric_limits<float>::infinity()}});
  EXPECT_EQ(got.count("reached"), 2U);
  EXPECT_EQ(got.number("max_distance"), 1.5);
  EXPECT_EQ(got.number("sum_distances"), 1.5);
  EXPECT_EQ(got.checksum, 1U + 2 * (std::uint64_t{std::bit_cast<std::uint32_t>(1.5F)} + 1));
}

TEST(Digest, SsspOfDoublesTakesTheirBits) {
  const Digest got = test::digest_of(SsspOutput{0, std::vector<double>{0, 0.1, std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(got.count("reached"), 2U);
  EXPECT_EQ(got.number("max_distance"), 0.1);
  EXPECT_EQ(got.checksum, 1U + 2 * (std::bit_cast<std::uint64_t>(0.1) + 1));
}

TEST(Digest, CcCountsLabelsWhateverTheirNames) {
  const Digest got = test::digest_of(CcOutput{{4, 1, 4, 1, 4, 5}});
  EXPECT_EQ(got.count("components"), 3U);
  EXPECT_EQ(got.count("largest"), 3U);
  EXPECT_EQ(*got.sizes, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 1}, {2, 1}, {1, 1}}));
}

TEST(Digest, TheLargestComeInDescendingOrderAndEqualOnesByNumber) {
  const std::vector<double> values{1, 5, 3, 5, 9, 3};
  using Entries = std::vector<std::pair<VertexId, double>>;
  EXPECT_EQ(largest_of<double>(values, 4), (Entries{{4, 9}, {1, 5}, {3, 5}, {2, 3}}));
  EXPECT_EQ(largest_of<double>(values, 2, 9.0), (Entries{{1, 5}, {3, 5}}));
  EXPECT_EQ(largest_of<double>(values, 10).size(), values.size());
  EXPECT_TRUE(largest_of<double>(values, 0).empty());
}

TEST(Digest, CcOfAWrongAnswerReadsNothingOutside) {
  const Digest got = test::digest_of(CcOutput{{0, kNoVertex, 3}});
  EXPECT_EQ(got.count("components"), 1U);
  EXPECT_EQ(got.count("largest"), 1U);
}

TEST(Digest, PagerankTopIsDescendingWithTiesByIdAndAtMostTen) {
  PagerankOutput output{std::vector<double>(20, 0.25), 7, 0.5};
  output.ranks[19] = 1;
  output.ranks[3] = 0.5;
  output.ranks[12] = 0.5;
  output.ranks[0] = 0.125;
  const Digest got = test::digest_of(output);
  const std::vector<VertexId> expected{19, 3, 12, 1, 2, 4, 5, 6, 7, 8};
  ASSERT_EQ(got.top->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*got.top)[i].first, expected[i]) << i;
    EXPECT_EQ((*got.top)[i].second, output.ranks[expected[i]]) << i;
  }
  EXPECT_EQ(got.number("sum"), 1 + 2 * 0.5 + 0.125 + 16 * 0.25);
  EXPECT_EQ(got.count("iterations"), 7U);
  EXPECT_EQ(got.number("residual"), 0.5);
}

TEST(Digest, SumsOfFloatsAreAlikeForAllPools) {
  std::vector<double> distances(300'000);
  for (std::size_t v = 0; v < distances.size(); ++v) distances[v] = 0.1 * static_cast<double>(v);
  const AnswerData answer(SsspOutput{0, distances});
  ThreadPool one(1), five(5);
  EXPECT_EQ(digests_of(answer, one).front().number("sum_distances"), digests_of(answer, five).front().number("sum_distances"));
}

TEST(AnswerData, KeepsAnOutputThatIsShared) {
  AnswerData first(CcOutput{{0, 0}});
  AnswerData second = first;
  EXPECT_TRUE(first.take<CcOutput>().labels.empty());
  EXPECT_TRUE(first.columns.empty());
  EXPECT_TRUE(AnswerData(second).take<CcOutput>().labels.empty());
  EXPECT_EQ(second.take<CcOutput>().labels.size(), 2U);
}

TEST(Digest, OfNothing) {
  EXPECT_EQ(test::digest_of(BfsOutput{}).count("reached"), 0U);
  EXPECT_EQ(test::digest_of(SsspOutput{}).count("reached"), 0U);
  EXPECT_EQ(test::digest_of(CcOutput{}).count("components"), 0U);
  EXPECT_TRUE(test::digest_of(PagerankOutput{}).top->empty());
}

// Computed elsewhere, in Python with NumPy, SciPy and NetworkX.
TEST(Digest, KarateClub) {
  constexpr VertexId kSource = 33;
  const Graph graph = test::with_weights(test::karate(), WeightKind::u32, [](std::uint64_t u, std::uint64_t v, EdgeId) {
    return static_cast<std::uint32_t>(1 + (u * 2654435761 + v * 40503) % 64);
  });

  const Digest bfs = test::digest_of(BfsOutput{kSource, {}, verify::serial_bfs_levels(graph.out, kSource)});
  EXPECT_EQ(bfs.count("reached"), 34U);
  EXPECT_EQ(bfs.count("max_level"), 4U);
  EXPECT_EQ(bfs.count("sum_levels"), 60U);
  EXPECT_EQ(bfs.checksum, 1472U);

  const Digest sssp = test::digest_of(SsspOutput{kSource, verify::serial_sssp(graph, kSource)});
  EXPECT_EQ(sssp.count("reached"), 34U);
  EXPECT_EQ(sssp.number("max_distance"), 59);
  EXPECT_EQ(sssp.number("sum_distances"), 920);
  EXPECT_EQ(sssp.checksum, 15064U);

  const Digest cc = test::digest_of(CcOutput{verify::serial_components(graph.out)});
  EXPECT_EQ(cc.count("components"), 1U);
  EXPECT_EQ(cc.count("largest"), 34U);

  const Digest pagerank = test::digest_of(verify::serial_pagerank(graph.out, 0.85, 1e-12, 1000));
  const std::vector<std::pair<VertexId, double>> top{
      {33, 0.10091918233237512}, {0, 0.0969972853885619},    {32, 0.07169322600555808}, {2, 0.057078509488455616},
      {1, 0.05287692406122238},  {31, 0.037158087069074586}, {3, 0.035859857786474915}, {23, 0.031522514776579275},
      {8, 0.02976605608099034},  {13, 0.0295364561519372}};
  ASSERT_EQ(pagerank.top->size(), top.size());
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ((*pagerank.top)[i].first, top[i].first);
    EXPECT_NEAR((*pagerank.top)[i].second, top[i].second, 2e-11);
  }
  EXPECT_NEAR(pagerank.number("sum"), 1, 1e-12);
}

}  // namespace
}  // namespace graphrun
