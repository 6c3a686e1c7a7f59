// SPDX-License-Identifier: Apache-2.0
// A pager over a store that is memory: the thread that needs a page copies it.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint32_t kMemoryPageBytes = 4096;

/// Two columns, neither of which is a whole number of pages.
class MemoryStorageTest : public ::testing::Test {
 protected:
  MemoryStorageTest() {
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::uint64_t i = 0; i < kWords[c]; ++i) columns_[c].push_back(splitmix64(i, c, 0));
      places_.push_back({c * kFileStride, kWords[c] * 8, 0});
    }
  }

  std::unique_ptr<HostPager> open(std::uint64_t frames, int workers) {
    const PagerOptions options{.page_bytes = kMemoryPageBytes, .cache_bytes = frames * kMemoryPageBytes, .workers = workers};
    const HostPager::OpenStorage open_storage = [&](std::size_t, std::uint32_t) {
      return make_memory_storage({std::as_bytes(std::span(columns_[0])), std::as_bytes(std::span(columns_[1]))});
    };
    return std::make_unique<HostPager>(options, places_, open_storage);
  }
  PageId pages() const { return pages_of(0) + pages_of(1); }
  static PageId pages_of(std::size_t c) { return (kWords[c] * 8 + kMemoryPageBytes - 1) / kMemoryPageBytes; }

  void expect_page(HostPager& pager, PageId page) const {
    const std::size_t c = page < pages_of(0) ? 0 : 1;
    const std::uint64_t first = (page - places_[c].first_page) * kMemoryPageBytes / 8;
    const std::uint64_t last = std::min(first + kMemoryPageBytes / 8, kWords[c]);
    const std::byte* data = pager.acquire(page);
    ASSERT_EQ(std::memcmp(data, columns_[c].data() + first, (last - first) * 8), 0) << "page " << page;
    pager.release(page);
  }

  static constexpr std::uint64_t kWords[2] = {50'001, 7'003};
  std::vector<std::uint64_t> columns_[2];
  std::vector<PagedColumn> places_;
};

TEST_F(MemoryStorageTest, EveryPageThroughTheSmallestCache) {
  const auto pager = open(2, 1);
  for (PageId page = 0; page < pages(); ++page) expect_page(*pager, page);
  EXPECT_EQ(pager->counters().misses, pages());
  EXPECT_EQ(pager->counters().bytes_read, (kWords[0] + kWords[1]) * 8);
}

TEST_F(MemoryStorageTest, NothingIsCopiedTwiceWhenEverythingFits) {
  const auto pager = open(pages(), 4);
  ASSERT_TRUE(pager->all_pages_fit());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 5000; ++i) expect_page(*pager, splitmix64(t, i, 0) % pages());
      for (PageId page = 0; page < pages(); ++page) expect_page(*pager, page);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pager->counters().misses, pages());
  pager->drop();
  expect_page(*pager, 3);
  EXPECT_EQ(pager->counters().misses, pages() + 1);
}

TEST_F(MemoryStorageTest, AColumnThatLacksLittleIsFilledAndOneThatLacksMuchIsNot) {
  constexpr std::uint64_t kAnEighth = 8;
  const auto pager = open(pages(), 2);
  ThreadPool pool(2);
  const PageId second = places_[1].first_page;
  for (PageId page = 0; page < pages_of(0) / 2; ++page) expect_page(*pager, page);
  for (PageId page = second; page + 1 < second + pages_of(1); ++page) expect_page(*pager, page);
  const std::uint64_t before = pager->counters().misses;
  pager->fill_gaps(0, kAnEighth, pool);
  EXPECT_EQ(pager->counters().misses, before);
  EXPECT_FALSE(pager->kept(0).has_all());
  EXPECT_FALSE(pager->kept(second).has_all());
  pager->fill_gaps(second, kAnEighth, pool);
  EXPECT_EQ(pager->counters().misses, before + 1);
  EXPECT_TRUE(pager->kept(second).has_all());
  EXPECT_FALSE(pager->kept(0).has_all());
  for (PageId page = 0; page < pages(); ++page) expect_page(*pager, page);
  EXPECT_TRUE(pager->kept(0).has_all());
  EXPECT_EQ(pager->counters().misses, pages());
  pager->drop();
  EXPECT_FALSE(pager->kept(0).has_all());
  EXPECT_FALSE(pager->kept(second).has_all());
}

TEST_F(MemoryStorageTest, NothingCountsAsHereWherePagesComeAndGo) {
  const auto pager = open(pages() - 1, 1);
  for (PageId page = 0; page < pages(); ++page) expect_page(*pager, page);
  EXPECT_FALSE(pager->kept(0).has_all());
}

// The ring: frames are taken in the order in which they were filled; uses since then do not matter.
TEST_F(MemoryStorageTest, TheFrameThatWasFilledFirstGoesFirst) {
  const auto pager = open(4, 1);
  for (PageId page = 0; page < 4; ++page) expect_page(*pager, page);
  for (int i = 0; i < 10; ++i) expect_page(*pager, 0);  // a reference bit would spare it
  expect_page(*pager, 4);
  const std::uint64_t misses = pager->counters().misses;
  for (const PageId still_here : {1, 2, 3, 4}) expect_page(*pager, still_here);
  EXPECT_EQ(pager->counters().misses, misses);
  expect_page(*pager, 0);
  EXPECT_EQ(pager->counters().misses, misses + 1);
}

TEST_F(MemoryStorageTest, APassAgainstTheOneBeforeItBeginsWithWhatIsHere) {
  const auto pager = open(pages() / 2, 1);
  const auto misses_of_a_pass = [&] {
    const std::uint64_t before = pager->counters().misses;
    const bool backward = pager->begin_pass(true);
    for (PageId i = 0; i < pages(); ++i) expect_page(*pager, backward ? pages() - 1 - i : i);
    return pager->counters().misses - before;
  };
  EXPECT_EQ(misses_of_a_pass(), pages());
  EXPECT_EQ(misses_of_a_pass(), pages() - pages() / 2);
  EXPECT_EQ(misses_of_a_pass(), pages() - pages() / 2);
  pager->drop();
  EXPECT_FALSE(pager->begin_pass(true));
  EXPECT_TRUE(pager->begin_pass(true));
  const auto with_room_for_all = open(pages(), 1);
  EXPECT_FALSE(with_room_for_all->begin_pass(true));
  EXPECT_FALSE(with_room_for_all->begin_pass(true));
}

TEST_F(MemoryStorageTest, MoreThreadsThanCoresInACacheWithAFrameForEach) {
  constexpr int kThreads = 16;
  const auto pager = open(kThreads + 1, kThreads);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 500; ++i) expect_page(*pager, splitmix64(t, i, 0) % pages());
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace graphrun::test
