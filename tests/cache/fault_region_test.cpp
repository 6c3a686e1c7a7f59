// SPDX-License-Identifier: Apache-2.0
// Columns behind page faults: the right bytes, no more of them in memory than the cap, and failures that are told.
#include "cache/fault_region.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cache/hashed_store.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kFewer = kSanitized ? 10 : 1;
constexpr std::size_t kPage = 4096;

/// The kernel's count of a column's pages that are in memory.
std::size_t resident_pages(const std::byte* column, std::size_t bytes) {
  std::vector<unsigned char> there((bytes + kPage - 1) / kPage);
  if (::mincore(const_cast<std::byte*>(column), bytes, there.data()) != 0) throw std::runtime_error("mincore");
  return static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [](unsigned char page) { return (page & 1) != 0; }));
}

class FaultRegionTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kWords = HashedStore::kBytes / 8;  // of each column; no whole number of pages

  void SetUp() override {
    if (system_page_bytes() != kPage) GTEST_SKIP() << "pages of this system have " << system_page_bytes() << " bytes";
    if (const std::string missing = why_no_userfault(); !missing.empty()) GTEST_SKIP() << missing;
    for (std::size_t i = 0; i < kWords; ++i) words_.push_back(splitmix64(i));
  }

  std::vector<ColumnSource> in_memory() const {
    std::vector<ColumnSource> sources;
    sources.push_back(ColumnSource::in_memory(words_.data(), HashedStore::kBytes));
    return sources;
  }
  /// A column of the file from word `first` on, nothing, and one that is in memory.
  std::vector<ColumnSource> mixed(std::size_t first) const {
    std::vector<ColumnSource> sources;
    sources.push_back(ColumnSource::in_file(store_.path(), first * 8, HashedStore::kBytes - first * 8));
    sources.push_back(ColumnSource::in_memory(nullptr, 0));
    sources.push_back(ColumnSource::in_memory(words_.data(), HashedStore::kBytes));
    return sources;
  }
  static const std::uint64_t* words_of(const FaultRegion& region, std::size_t column) {
    return reinterpret_cast<const std::uint64_t*>(region.column(column));
  }
  static std::size_t resident(const FaultRegion& region) { return resident_pages(region.column(0), HashedStore::kBytes); }
  static void touch(const FaultRegion& region, std::size_t page) {
    ASSERT_EQ(words_of(region, 0)[page * kPage / 8], splitmix64(page * kPage / 8));
  }

  HashedStore store_;
  std::vector<std::uint64_t> words_;
};

TEST_F(FaultRegionTest, EveryWordOfEveryColumnArrives) {
  for (FaultOptions options : {FaultOptions{kPage, kPage, kPage}, FaultOptions{kPage, 4 * kPage, 8 * kPage},
                               FaultOptions{2 * kPage, 16 * kPage, 16 * kPage}, FaultOptions{}}) {
    for (const std::uint64_t cap : {4 * options.block, std::uint64_t{1} << 30}) {
      options.cap = cap;
      for (const std::size_t first : {0, 1, 1000}) {  // files align their columns as they like
        FaultRegion region(options, mixed(first));
        EXPECT_EQ(region.column(1), nullptr);
        for (int round = 0; round < 2; ++round) {
          for (std::size_t i = 0; i < kWords - first; ++i) ASSERT_EQ(words_of(region, 0)[i], splitmix64(first + i)) << i;
          for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(words_of(region, 2)[i], splitmix64(i)) << i;
        }
        const std::size_t page_end = (kWords * 8 + kPage - 1) / kPage * kPage / 8;
        for (std::size_t i = kWords; i < page_end; ++i) ASSERT_EQ(words_of(region, 2)[i], 0u) << "behind the last word";
        region.throw_if_failed();
      }
    }
  }
}

TEST_F(FaultRegionTest, AFaultBringsInWhatLiesAround) {
  FaultRegion region({.page = kPage, .prefetch = 16 * kPage, .block = 32 * kPage}, in_memory());
  touch(region, 20);
  EXPECT_EQ(resident(region), 16u);
  touch(region, 16);
  touch(region, 31);
  EXPECT_EQ(region.counters().faults, 1u);
  EXPECT_EQ(region.counters().bytes_in, 16 * kPage);
  touch(region, 244);  // the last range of the column has five pages
  EXPECT_EQ(region.counters().bytes_in, (16 + 5) * kPage);

  FaultRegion single({.page = kPage, .prefetch = kPage, .block = 32 * kPage}, in_memory());
  touch(single, 20);
  EXPECT_EQ(resident(single), 1u);
}

TEST_F(FaultRegionTest, BlocksThatFaultedLongestAgoGoFirstAndTheCapIsNeverExceeded) {
  const FaultOptions options{.page = kPage, .prefetch = kPage, .block = 4 * kPage, .cap = 8 * kPage};
  FaultRegion region(options, in_memory());
  const auto block_pages = [&](std::size_t block) {
    return resident_pages(region.column(0) + block * options.block, options.block);
  };
  for (const std::size_t page : {0, 1, 2, 4, 5, 6, 7, 3}) touch(region, page);
  EXPECT_EQ(resident(region), 8u);
  EXPECT_EQ(region.counters().bytes_evicted, 0u);
  touch(region, 8);  // block 0 faulted last
  EXPECT_EQ(block_pages(0), 4u);
  EXPECT_EQ(block_pages(1), 0u);
  EXPECT_EQ(region.counters().bytes_evicted, 4 * kPage);
  for (std::uint64_t i = 0; i < 3000 / kFewer; ++i) {
    touch(region, splitmix64(i) % 240);
    ASSERT_LE(resident(region), 8u) << i;
  }
  const FaultCounters counters = region.counters();
  EXPECT_EQ(counters.bytes_in - counters.bytes_evicted, resident(region) * kPage);
  EXPECT_EQ(counters.faults * kPage, counters.bytes_in);
}

TEST_F(FaultRegionTest, FillingAndDropping) {
  FaultRegion region({.page = kPage, .prefetch = 4 * kPage, .block = 16 * kPage}, mixed(3));
  EXPECT_EQ(region.most_resident_bytes(), 2 * 245 * kPage);
  region.fill();
  EXPECT_EQ(resident(region), 245u);
  region.reset_counters();
  for (std::size_t i = 0; i < kWords - 3; ++i) ASSERT_EQ(words_of(region, 0)[i], splitmix64(3 + i));
  EXPECT_EQ(region.counters().faults, 0u);
  region.drop();
  EXPECT_EQ(resident(region), 0u);
  EXPECT_EQ(region.counters().bytes_evicted, 0u);
  EXPECT_EQ(words_of(region, 0)[9], splitmix64(12));
  EXPECT_EQ(region.counters().faults, 1u);

  FaultRegion small({.page = kPage, .prefetch = kPage, .block = kPage, .cap = 4 * kPage}, in_memory());
  EXPECT_THROW(small.fill(), UsageError);
}

TEST_F(FaultRegionTest, ImpossibleSizesAreRefused) {
  for (const FaultOptions& options :
       {FaultOptions{0, 4096, 4096}, FaultOptions{2048, 4096, 4096}, FaultOptions{5000, 65536, 65536},
        FaultOptions{65536, 4096, 65536}, FaultOptions{4096, 65536, 4096}, FaultOptions{4096, 8192, 12288},
        FaultOptions{4096, 4096, std::uint64_t{1} << 40}}) {
    EXPECT_THROW(FaultRegion(options, in_memory()), UsageError);
  }
  const auto resident_most = [&](FaultOptions options, std::uint64_t cap, int readers = 1) {
    options.cap = cap;
    options.readers = readers;
    return FaultRegion(options, in_memory()).most_resident_bytes();
  };
  const FaultOptions options{kPage, kPage, 4 * kPage};
  EXPECT_THROW(resident_most(options, 8 * kPage - 1), UsageError);
  EXPECT_EQ(resident_most(options, 8 * kPage), 8 * kPage);
  EXPECT_THROW(resident_most(options, 8 * kPage, 16), UsageError) << "too small for so many threads";
  EXPECT_EQ(resident_most(options, 34 * kPage, 16), 34 * kPage);
  EXPECT_EQ(resident_most({}, 245 * kPage), 245 * kPage) << "less than two blocks, but all there is";
  EXPECT_EQ(FaultRegion({.cap = 0}, {}).most_resident_bytes(), 0u);
}

/// Reads with several threads what cannot be read; returns the error afterwards.
std::string error_of(FaultRegion& region, std::uint64_t words) {
  std::vector<std::thread> readers;
  for (std::uint64_t t = 0; t < 4; ++t) {
    readers.emplace_back([&region, words, t] {
      const auto* column = reinterpret_cast<const volatile std::uint64_t*>(region.column(0));
      for (std::uint64_t i = 0; i < 4000; ++i) [[maybe_unused]] const std::uint64_t word = column[splitmix64(t, i, 0) % words];
    });
  }
  for (auto& reader : readers) reader.join();
  try {
    region.throw_if_failed();
    return {};
  } catch (const RunError& error) {
    return error.what();
  }
}

// Threads that wait for a page that never comes used to be the way such designs hang.
TEST_F(FaultRegionTest, AFileThatBecomesShorterIsToldAndNobodyHangs) {
  FaultRegion region({.page = kPage, .prefetch = 4 * kPage, .block = 4 * kPage, .cap = 40 * kPage, .readers = 4}, mixed(0));
  EXPECT_EQ(words_of(region, 0)[kWords - 1], splitmix64(kWords - 1));
  std::filesystem::resize_file(store_.path(), 100'000);
  const std::string error = error_of(region, kWords);
  EXPECT_NE(error.find("became shorter"), std::string::npos) << error;
  EXPECT_NE(error.find(store_.path()), std::string::npos) << error;
  EXPECT_THROW(region.drop(), RunError);
  EXPECT_THROW(region.fill(), RunError);
}

TEST_F(FaultRegionTest, AFileThatCannotBeReadIsToldAndNobodyHangs) {
  std::vector<ColumnSource> sources;
  sources.push_back(ColumnSource::in_file(store_.path().parent_path(), 0, HashedStore::kBytes));  // reading a folder is an error
  FaultRegion region({}, std::move(sources));
  const std::string error = error_of(region, kWords);
  EXPECT_NE(error.find("cannot read"), std::string::npos) << error;
  EXPECT_THROW(ColumnSource::in_file(store_.path() / "none", 0, 1), DataError);
}

// They read as a system that does not permit userfaultfd.
TEST_F(FaultRegionTest, ExhaustedDescriptorsAreNamed) {
  if (kSanitized) GTEST_SKIP() << "UBSan asks through a pipe whether an exception can be read";
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none{0, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string said = why_no_userfault();
  ::setrlimit(RLIMIT_NOFILE, &usual);
  EXPECT_NE(said.find("Too many open files"), std::string::npos) << said;
}

// Loads that straddle the border of two blocks need both at the same time, and other threads push them out meanwhile.
TEST_F(FaultRegionTest, SixteenThreadsInTwoBlocks) {
  constexpr int kThreads = 16;
  constexpr std::uint64_t kCap = 64 * kPage;
  const std::uint64_t reads = 1000 / kFewer;
  FaultRegion region({.page = kPage, .prefetch = kPage, .block = 32 * kPage, .cap = kCap, .readers = kThreads}, mixed(0));
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < kThreads; ++t) {
    readers.emplace_back([&, t] {
      const std::byte* column = region.column(t % 2 == 0 ? 0 : 2);
      for (std::uint64_t i = 0; i < reads; ++i) {
        const std::uint64_t random = splitmix64(static_cast<std::uint64_t>(t), i, 0);
        const std::size_t word = 1 + random % (kWords - 1);
        std::uint64_t value = 0;
        std::memcpy(&value, column + word * 8, sizeof(value));
        if (value != splitmix64(word)) ++wrong;
        // Half of one word and half of the next, at the end of a page.
        const std::size_t last = (1 + random % 200) * kPage / 8 - 1;
        std::memcpy(&value, column + last * 8 + 4, sizeof(value));
        if (value != (splitmix64(last) >> 32 | splitmix64(last + 1) << 32)) ++wrong;
      }
    });
  }
  for (auto& reader : readers) reader.join();
  region.throw_if_failed();
  EXPECT_EQ(wrong, 0u);
  const FaultCounters counters = region.counters();
  EXPECT_GT(counters.faults, kThreads * reads / 2);
  EXPECT_LE(counters.bytes_in - counters.bytes_evicted, kCap);
}

}  // namespace
}  // namespace graphrun::test
