// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/host_pager.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cache/hashed_store.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

class HostPagerTest : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t kBytes = HashedStore::kBytes;

  std::unique_ptr<HostPager> open(const PagerOptions& options, std::uint64_t column_bytes = kBytes) {
    std::vector<PagedColumn> columns{{0, column_bytes, 0}};
    return std::make_unique<HostPager>(options, columns, [&](std::uint32_t depth) { return store_.open(GetParam(), depth); });
  }
  static void expect_page(HostPager& pager, PageId page) { HashedStore::expect_page(pager, page); }

  HashedStore store_;
};

TEST_P(HostPagerTest, EveryPageThroughTheSmallestCache) {
  for (const std::uint32_t page_bytes : {512u, 4096u, 65536u}) {
    PagerOptions options{.page_bytes = page_bytes};
    options.cache_bytes = HostPager::least_cache_bytes(options);
    const auto pager = open(options);
    const PageId pages = (kBytes + page_bytes - 1) / page_bytes;
    for (PageId page = 0; page < pages; ++page) expect_page(*pager, page);
    EXPECT_EQ(pager->counters().misses, pages);
    expect_page(*pager, pages - 1);
    EXPECT_EQ(pager->counters().misses, pages);  // it was still there
  }
}

TEST_P(HostPagerTest, SeveralThreadsAndPrefetching) {
  constexpr int kThreads = 4;
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 40 * 4096, .queue_depth = 8, .workers = kThreads});
  const PageId pages = (kBytes + 4095) / 4096;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        for (std::uint64_t ahead = 1; ahead < 5; ++ahead)
          pager->prefetch(splitmix64(static_cast<std::uint64_t>(t), i + ahead, 0) % pages);
        expect_page(*pager, splitmix64(static_cast<std::uint64_t>(t), i, 0) % pages);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(HostPagerTest, PagesThatFollowEachOtherAreAskedForTogether) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 1 << 20});
  pager->prefetch(40, 71);
  pager->send();
  expect_page(*pager, 40);
  EXPECT_EQ(pager->counters().misses, 1u);
  EXPECT_EQ(pager->counters().bytes_read, 32u * 4096);
  for (PageId page = 40; page < 72; ++page) expect_page(*pager, page);
  EXPECT_EQ(pager->counters().misses, 1u);
}

TEST_P(HostPagerTest, PagesThatAreHereDivideWhatIsAskedFor) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 1 << 20});
  expect_page(*pager, 50);
  pager->prefetch(48, 55);
  for (PageId page = 48; page < 56; ++page) expect_page(*pager, page);
  EXPECT_EQ(pager->counters().misses, 3u);  // 50, then 48 and 49, then 51 to 55
  EXPECT_EQ(pager->counters().bytes_read, 8u * 4096);
}

// Columns follow each other in the cache, but not in the store.
TEST_P(HostPagerTest, OneCommandNeverReachesIntoAnotherColumn) {
  std::vector<PagedColumn> columns{{100 * 4096, 3 * 4096 - 8, 0}, {7 * 4096, 4 * 4096, 0}};
  const PagerOptions options{.page_bytes = 4096, .cache_bytes = 1 << 20};
  HostPager pager(options, columns, [&](std::uint32_t depth) { return store_.open(GetParam(), depth); });
  pager.prefetch(0, 6);
  for (PageId page = 0; page < 7; ++page) {
    std::uint64_t word = 0;
    std::memcpy(&word, pager.acquire(page), sizeof(word));
    pager.release(page);
    EXPECT_EQ(word, splitmix64((page < 3 ? 100 + page : 7 + page - 3) * 512)) << "page " << page;
  }
}

TEST_P(HostPagerTest, AskingForMoreThanTheCacheHoldsLosesNothing) {
  constexpr int kThreads = 3;
  const PageId pages = kBytes / 512;
  const auto pager = open({.page_bytes = 512, .cache_bytes = 64 * 512, .queue_depth = 8, .workers = kThreads});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 300; ++i) {
        const PageId first = splitmix64(static_cast<std::uint64_t>(t), i, 0) % (pages - 20);
        pager->prefetch(first, first + 20);
        pager->send();
        for (PageId page = first; page < first + 20; page += 1 + i % 3) expect_page(*pager, page);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// Every pass read every page again, because each was replaced just before its turn.
TEST_P(HostPagerTest, PassesOverAllListsKeepThePagesWhoseFramesTheyNeedNot) {
  constexpr PageId kPages = (kBytes + 4095) / 4096;
  constexpr PageId kFrames = kPages / 2;
  const PagerOptions options{.page_bytes = 4096, .cache_bytes = kFrames * 4096, .most_pages_ahead = 4};
  constexpr PageId kRing = 16;
  EXPECT_EQ(HostPager::bytes_between_passes(options), (kFrames - kRing) * 4096);
  const auto pager = open(options);
  const auto pages_of_pass = [&](bool of_all_lists) {
    const std::uint64_t before = pager->counters().bytes_read;
    EXPECT_FALSE(pager->begin_pass(of_all_lists));
    for (PageId page = 0; page < kPages; ++page) expect_page(*pager, page);
    return (pager->counters().bytes_read - before) / 4096;
  };
  EXPECT_EQ(pages_of_pass(true), kPages);
  EXPECT_EQ(pages_of_pass(true), kPages - (kFrames - kRing));
  EXPECT_EQ(pages_of_pass(true), kPages - (kFrames - kRing));
  pages_of_pass(false);  // of a frontier: all frames are in use again
  EXPECT_EQ(pages_of_pass(false), kPages);
  pages_of_pass(true);
  EXPECT_EQ(pages_of_pass(true), kPages - (kFrames - kRing));
  const auto pages_of_step = [&] {  // more than the ring has room for, of those that it replaced
    const std::uint64_t before = pager->counters().bytes_read;
    for (PageId page = 8; page < 8 + 2 * kRing; ++page) expect_page(*pager, page);
    return (pager->counters().bytes_read - before) / 4096;
  };
  EXPECT_EQ(pages_of_step(), 2 * kRing);
  EXPECT_EQ(pages_of_step(), 2 * kRing);
  pager->reset_counters();  // another run may be of steps alone, which are no passes
  pages_of_step();
  EXPECT_EQ(pages_of_step(), 0u);
  EXPECT_EQ(pager->frames(), kFrames);
  pager->drop();
  EXPECT_EQ(pages_of_pass(true), kPages);
}

TEST_P(HostPagerTest, DroppedPagesAreReadAgain) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 1 << 20});
  expect_page(*pager, 3);
  pager->prefetch(5);
  pager->drop();
  pager->reset_counters();
  expect_page(*pager, 3);
  EXPECT_EQ(pager->counters().misses, 1u);
  EXPECT_EQ(pager->counters().bytes_read, 4096u);
}

TEST_P(HostPagerTest, PagesThatWereReadAheadAreHitsWhenTheyAreUsed) {
  for (const std::uint64_t frames : {128u, 4096u}) {  // fewer than pages, and one for each
    const auto pager = open({.page_bytes = 4096, .cache_bytes = frames * 4096});
    EXPECT_EQ(pager->all_pages_fit(), frames == 4096);
    pager->prefetch(40, 71, true);
    for (PageId page = 40; page < 72; ++page) {
      expect_page(*pager, page);
      expect_page(*pager, page);
    }
    pager->prefetch(80, 90);  // will be walked for sure
    expect_page(*pager, 80);
    EXPECT_EQ(pager->counters().ahead_bytes, 32u * 4096);
    EXPECT_EQ(pager->counters().ahead_hits, 32u * 4096);
    pager->drop();
    pager->prefetch(40, 41, true);
    pager->flush();
    expect_page(*pager, 41);
    EXPECT_EQ(pager->counters().ahead_bytes, 34u * 4096);
    EXPECT_EQ(pager->counters().ahead_hits, 33u * 4096);
  }
}

TEST_P(HostPagerTest, PagesThatWereReadAheadAreWasteWhenTheyAreEvictedOrCountedBefore) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 16 * 4096});
  pager->prefetch(0, 3, true);
  pager->flush();
  expect_page(*pager, 3);
  for (PageId page = 10; page < 30; ++page) expect_page(*pager, page);
  for (PageId page = 0; page < 4; ++page) expect_page(*pager, page);
  EXPECT_EQ(pager->counters().misses, 1u + 20 + 4);
  EXPECT_EQ(pager->counters().ahead_bytes, 4u * 4096);
  EXPECT_EQ(pager->counters().ahead_hits, 4096u);
  pager->prefetch(40, 43, true);
  pager->flush();
  pager->reset_counters();
  for (PageId page = 40; page < 44; ++page) expect_page(*pager, page);
  EXPECT_EQ(pager->counters().misses, 0u);
  EXPECT_EQ(pager->counters().ahead_hits, 0u);
}

// It asks for no page, and reads all of them.
TEST_P(HostPagerTest, AStepOverAnArrayUsesAllPages) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 2 * kBytes});
  const PageId pages = (kBytes + 4095) / 4096;
  for (PageId page = 0; page < pages; ++page) {
    pager->prefetch(page, page, true);
    pager->flush();
  }
  const HostPager::Kept kept = pager->kept(0);
  EXPECT_TRUE(kept.has_all());
  EXPECT_FALSE(kept.has(5, 5)) << "the first use of a page is not counted";
  expect_page(*pager, 5);
  EXPECT_TRUE(kept.has(5, 5));
  EXPECT_EQ(pager->counters().ahead_hits, 4096u);
  pager->count_array_step(0);
  EXPECT_TRUE(kept.has(0, pages - 1));
  EXPECT_EQ(pager->counters().ahead_bytes, pages * 4096);
  EXPECT_EQ(pager->counters().ahead_hits, pages * 4096);
}

TEST_P(HostPagerTest, ACacheThatIsTooSmallNamesTheSmallestThatWorks) {
  try {
    open({.page_bytes = 4096, .cache_bytes = 8192, .workers = 3});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("16384"), std::string::npos) << error.what();
  }
}

TEST_P(HostPagerTest, AReadOutsideOfTheStoreFailsTheRunAndEveryLaterOne) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 1 << 20}, 2 * kBytes);
  expect_page(*pager, 0);
  EXPECT_THROW(pager->acquire(kBytes / 4096 + 10), RunError);
  EXPECT_THROW(pager->acquire(7), RunError);
}

// It is found out when the page leaves, at the latest by flush().
TEST_P(HostPagerTest, AWriteThatTheStoreRefusesIsNamed) {
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 4 * 4096});
  pager->acquire_to_write(3);
  pager->release_written(3);
  try {
    pager->flush();
    ADD_FAILURE() << "no error says that the store is read only";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("writing page 3"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, HostPagerTest, ::testing::Values("file", "unlimited", "980pro"), [](const auto& storage) {
  return std::string(storage.param) == "980pro" ? "ram_980pro" : std::string(storage.param) == "file" ? "file" : "ram_unlimited";
});

}  // namespace
}  // namespace graphrun::test
