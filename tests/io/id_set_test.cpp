// SPDX-License-Identifier: Apache-2.0
// IdSet against std::set, dense and sparse.
#include "io/id_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/io_fixture.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

using Ids = std::vector<std::uint64_t>;

/// Sources and targets in turn; an even number of ids.
EdgeList batch_of(const Ids& ids, std::size_t begin, std::size_t end) {
  EdgeList batch;
  batch.sources = Column<VertexId>::allocate((end - begin) / 2);
  batch.targets = Column<VertexId>::allocate((end - begin) / 2);
  for (std::size_t i = begin; i < end; ++i) {
    auto& column = (i - begin) % 2 == 0 ? batch.sources : batch.targets;
    column[(i - begin) / 2] = static_cast<VertexId>(ids[i]);
  }
  return batch;
}

class IdSetTest : public ::testing::Test {
 protected:
  /// Fills a set in three batches and asks it everything.
  void expect_right(const Ids& ids, std::uint64_t bound) {
    SCOPED_TRACE(::testing::Message() << ids.size() << " ids below " << bound);
    const std::set<std::uint64_t> wanted(ids.begin(), ids.end());
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      expect_right_in_files(ids, bound, pool);
      io::IdSet set(bound, ids.size() / 2);
      const std::size_t third = ids.size() / 6 * 2;
      set.add(batch_of(ids, 0, third), pool);
      set.add(batch_of(ids, third, third), pool);
      set.add(batch_of(ids, third, ids.size()), pool);
      set.seal(pool);

      EXPECT_EQ(set.size(), wanted.size());
      const auto listed = set.ids(pool);
      EXPECT_TRUE(std::equal(listed.data(), listed.data() + listed.size(), wanted.begin(), wanted.end()));
      VertexId rank = 0;
      for (const std::uint64_t id : wanted) ASSERT_EQ(set.rank(static_cast<VertexId>(id)), rank++) << id;
      EdgeList renamed = batch_of(ids, 0, ids.size());
      set.renumber(renamed, pool);
      EXPECT_EQ(renamed.num_vertices, wanted.size());
      for (std::size_t i = 0; i < ids.size(); i += 2) {
        ASSERT_EQ(listed[renamed.sources[i / 2]], ids[i]);
        ASSERT_EQ(listed[renamed.targets[i / 2]], ids[i + 1]);
      }
    }
  }

  /// The same where memory holds some dozen ids, of many ids some hundred.
  static void expect_right_in_files(const Ids& ids, std::uint64_t bound, ThreadPool& pool) {
    const std::set<std::uint64_t> wanted(ids.begin(), ids.end());
    const Workspace space = Workspace::on_disk(::testing::TempDir(), ids.size() < 5000 ? 1 : 8192);
    io::IdSet set(bound, ids.size() / 2, space);
    const std::size_t half = ids.size() / 4 * 2;
    set.add(batch_of(ids, 0, half), pool);
    set.add(batch_of(ids, half, ids.size()), pool);
    set.seal(pool);
    EXPECT_EQ(set.size(), wanted.size());
    const auto listed = set.ids(pool);
    EXPECT_TRUE(std::equal(listed.data(), listed.data() + listed.size(), wanted.begin(), wanted.end()));
    EdgeList renamed = batch_of(ids, 0, ids.size());
    set.renumber(renamed, pool);
    EXPECT_EQ(renamed.num_vertices, wanted.size());
    for (std::size_t i = 0; i < ids.size(); i += 2) {
      ASSERT_EQ(listed[renamed.sources[i / 2]], ids[i]);
      ASSERT_EQ(listed[renamed.targets[i / 2]], ids[i + 1]);
    }
  }

  Ids random_ids(std::size_t count, std::uint64_t first, std::uint64_t bound) {
    std::uniform_int_distribution<std::uint64_t> id(first, bound - 1);
    Ids ids(count);
    for (std::uint64_t& one : ids) one = id(random_);
    return ids;
  }

  std::mt19937_64 random_{11};
};

constexpr std::uint64_t kMostIds = kNoVertex;  // the largest id is one less

TEST_F(IdSetTest, Nothing) {
  expect_right({}, 0);
  expect_right({}, 1000000);
}

TEST_F(IdSetTest, OneEntry) {
  expect_right({0, 0}, 1);
  expect_right({0, 1}, 2);
  expect_right({5, 3}, 6);
  expect_right({0, kMostIds - 1}, kMostIds);
}

// Ids around the ends of words and of blocks of words, first and last among them.
TEST_F(IdSetTest, EndsOfWordsAndBlocks) {
  for (const std::uint64_t bound : {63u, 64u, 65u, 127u, 128u, 511u, 512u, 513u, 1024u, 1025u, 5000u}) {
    Ids ids{0, bound - 1};
    for (std::uint64_t edge = 64; edge < bound; edge += edge % 512 == 0 ? 512 : 64) {
      ids.push_back(edge - 1);
      ids.push_back(edge);
    }
    expect_right(ids, bound);
  }
}

TEST_F(IdSetTest, AllIds) {
  Ids ids;
  for (std::uint64_t id = 20000; id-- > 0;) ids.push_back(id);
  expect_right(ids, 20000);
}

TEST_F(IdSetTest, RandomDenseAndSparse) {
  for (const std::size_t count : {2u, 100u, 3000u, 30000u}) {
    if (kFewCases && count > (kThreadSanitized ? 100 : 3000)) break;
    for (const std::uint64_t bound :
         {std::uint64_t{10}, std::uint64_t{100 * 256}, std::uint64_t{1} << 24, std::uint64_t{kMostIds}}) {
      expect_right(random_ids(count, 0, bound), bound);
    }
    expect_right(random_ids(count, kMostIds - 1000, kMostIds), kMostIds);
  }
}

// A set is a bitmap up to 256 ids an entry. One more id, and it is a list.
TEST_F(IdSetTest, BothSidesOfTheLimitBetweenListAndBitmap) {
  constexpr std::uint64_t kEntries = 1000;
  constexpr std::uint64_t kLimit = 256 * kEntries + 7;
  EXPECT_GT(io::IdSet::bytes_for(kLimit, kEntries), 31 * kEntries);
  EXPECT_EQ(io::IdSet::bytes_for(kLimit + 1, kEntries), 2 * sizeof(VertexId) * kEntries);
  for (const std::uint64_t bound : {kLimit - 1, kLimit, kLimit + 1}) {
    Ids ids = random_ids(2 * kEntries, 0, bound);
    ids[7] = bound - 1;
    expect_right(ids, bound);
  }
}

TEST_F(IdSetTest, MemoryFollowsTheEntriesWhateverTheLargestId) {
  for (const std::uint64_t bound : {std::uint64_t{1} << 20, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_LE(io::IdSet::bytes_for(bound, 1000), 64u * 1000) << bound;
    EXPECT_EQ(io::IdSet::bytes_for(bound, 0), 0u) << bound;
  }
  EXPECT_LE(io::IdSet::bytes_for(1000, std::uint64_t{1} << 40), 1000u);
}

#if GRAPHRUN_VERTEX_BITS == 64
TEST_F(IdSetTest, WideIdsAreKept) {
  const std::uint64_t wide = std::uint64_t{1} << 40;
  expect_right({wide, wide + 1, wide << 20, 1, wide, kMostIds - 1}, kMostIds);
  expect_right(random_ids(5000, wide, wide << 23), wide << 23);
}
#endif

}  // namespace
}  // namespace graphrun::test
