#include "graphrun/cache/host_pager.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

/// A file of 8-byte words, word i of which is a hash of i.
class HostPagerTest : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t kBytes = 1000 * 1000;  // no whole number of pages

  void SetUp() override {
    std::string made = (std::filesystem::temp_directory_path() / "graphrun_pager_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory_ = made;
    std::ofstream file(directory_ / "store", std::ios::binary);
    for (std::uint64_t i = 0; i < kBytes / 8; ++i) {
      const std::uint64_t word = splitmix64(i);
      file.write(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    file.close();
    fd_ = ::open((directory_ / "store").c_str(), O_RDONLY);
    ASSERT_GE(fd_, 0);
  }
  void TearDown() override {
    ::close(fd_);
    std::filesystem::remove_all(directory_);
  }

  std::unique_ptr<HostPager> open(const PagerOptions& options) {
    columns_ = {{0, kBytes, 0}};
    return std::make_unique<HostPager>(options, columns_, [&](std::uint32_t depth) -> std::unique_ptr<BlockEngine> {
      const std::vector<StoreFile> files{{"store", fd_}};
      if (std::string(GetParam()) == "file") return open_uring_engine(files, depth);
      return open_ram_engine(std::make_shared<RamDevice>(parse_device_profile(GetParam()), files), depth);
    });
  }

  static void expect_page(HostPager& pager, PageId page) {
    const std::byte* data = pager.acquire(page);
    const std::uint64_t first = page * pager.page_bytes() / 8;
    const std::uint64_t last = std::min<std::uint64_t>(first + pager.page_bytes() / 8, kBytes / 8);
    for (std::uint64_t i = first; i < last; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + (i - first) * 8, sizeof(word));
      ASSERT_EQ(word, splitmix64(i)) << "word " << i << " of page " << page;
    }
    pager.release(page);
  }

  std::filesystem::path directory_;
  int fd_ = -1;
  std::vector<PagedColumn> columns_;
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

TEST_P(HostPagerTest, ACacheThatIsTooSmallNamesTheSmallestThatWorks) {
  try {
    open({.page_bytes = 4096, .cache_bytes = 8192, .workers = 3});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("16384"), std::string::npos) << error.what();
  }
}

TEST_P(HostPagerTest, AReadOutsideOfTheStoreFailsTheRunAndEveryLaterOne) {
  columns_ = {{0, 2 * kBytes, 0}};
  const auto pager = std::make_unique<HostPager>(PagerOptions{.page_bytes = 4096, .cache_bytes = 1 << 20}, columns_,
                                                 [&](std::uint32_t depth) -> std::unique_ptr<BlockEngine> {
                                                   const std::vector<StoreFile> files{{"store", fd_}};
                                                   if (std::string(GetParam()) == "file") return open_uring_engine(files, depth);
                                                   return open_ram_engine(std::make_shared<RamDevice>(parse_device_profile(GetParam()), files), depth);
                                                 });
  expect_page(*pager, 0);
  EXPECT_THROW(pager->acquire(kBytes / 4096 + 10), RunError);
  EXPECT_THROW(pager->acquire(7), RunError);
}

INSTANTIATE_TEST_SUITE_P(Storage, HostPagerTest, ::testing::Values("file", "unlimited", "980pro"), [](const auto& storage) {
  return std::string(storage.param) == "980pro" ? "ram_980pro" : std::string(storage.param) == "file" ? "file" : "ram_unlimited";
});

// A file that becomes shorter while it is used gives an error that says so, not zeros.
TEST_P(HostPagerTest, ATruncatedFileIsAnError) {
  if (std::string(GetParam()) != "file") GTEST_SKIP() << "a mapped file that becomes shorter ends the process";
  const auto pager = open({.page_bytes = 4096, .cache_bytes = 1 << 20});
  std::filesystem::resize_file(directory_ / "store", 8192);
  expect_page(*pager, 1);
  try {
    pager->acquire(100);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("became shorter"), std::string::npos) << error.what();
  }
}

// Every kind of fault in runs of a few hundred reads. A run ends with the right bytes, or with an error that names its cause.
class HostPagerFaults : public HostPagerTest {
 protected:
  /// The error of a run, or nothing when all of it was right.
  std::string run(const FaultPlan& plan) {
    PagerOptions options{.page_bytes = 512, .cache_bytes = 8 * 512, .queue_depth = 8, .workers = 2};
    options.deadline = std::chrono::milliseconds(plan.dropped == 0 ? 10'000 : 20);
    columns_ = {{0, kBytes, 0}};
    HostPager pager(options, columns_, [&](std::uint32_t depth) {
      return make_faulty_engine(open_ram_engine(std::make_shared<RamDevice>(parse_device_profile(GetParam()), std::vector<StoreFile>{{"store", fd_}}), depth), plan);
    });
    std::vector<std::string> errors(2);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::uint64_t i = 0; i < 100; ++i) {
            pager.prefetch(page_of(plan.seed, t, i + 2));
            expect_page(pager, page_of(plan.seed, t, i));
          }
        } catch (const RunError& error) {
          errors[static_cast<std::size_t>(t)] = error.what();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    return errors[0].empty() ? errors[1] : errors[0];
  }
  static PageId page_of(std::uint64_t seed, int thread, std::uint64_t i) {
    return splitmix64(seed, i, static_cast<std::uint64_t>(thread)) % (kBytes / 512);
  }
};

TEST_P(HostPagerFaults, DelaysAndRepetitionsChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    ASSERT_EQ(run({.seed = seed, .delayed = 300}), "") << "seed " << seed;
    ASSERT_EQ(run({.seed = seed, .duplicated = 200}), "") << "seed " << seed;
    ASSERT_EQ(run({.seed = seed, .delayed = 200, .duplicated = 200}), "") << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST_P(HostPagerFaults, FailuresAreNamed) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::string error = run({.seed = seed, .delayed = 100, .duplicated = 50, .failing = 2, .short_reads = 2});
    if (HasFailure()) return;
    if (error.empty()) continue;
    ++failed;
    ASSERT_NE(error.find("was made to"), std::string::npos) << error;
    ASSERT_NE(error.find("page "), std::string::npos) << error;
  }
  EXPECT_GT(failed, 40);
}

TEST_P(HostPagerFaults, WhatNeverComesEndsAtTheDeadline) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string error = run({.seed = seed, .dropped = 4});
    if (HasFailure()) return;
    if (error.empty()) continue;
    ++failed;
    ASSERT_TRUE(error.find("did not arrive within 20 ms") != std::string::npos ||
                error.find("no frame became free") != std::string::npos)
        << error;
  }
  EXPECT_GT(failed, 4);
}

INSTANTIATE_TEST_SUITE_P(Storage, HostPagerFaults, ::testing::Values("unlimited"), [](const auto&) { return "ram_unlimited"; });

}  // namespace
}  // namespace graphrun::test
