// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/paged_array.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

class PagedArrayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string made = (fs::temp_directory_path() / "graphrun_array_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory_ = made;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST_F(PagedArrayTest, WhatIsWrittenIsReadAgainAlsoFromTheFile) {
  constexpr std::uint64_t kSize = 100'000;
  {
    auto array = PagedArray<std::uint64_t>::create(path("a"), kSize, {.cache_bytes = 16 * 4096});
    EXPECT_EQ(array.size(), kSize);
    EXPECT_EQ(array.read(kSize - 1), 0u);
    for (std::uint64_t i = 0; i < kSize; ++i) array[i] = splitmix64(i);
    for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(array[i], splitmix64(i)) << i;
    EXPECT_GE(array.counters().bytes_written, kSize * 8 - 16 * 4096);  // most pages had to go while it was written
    array.flush();
    EXPECT_GE(array.counters().bytes_written, kSize * 8);
    const std::uint64_t written = array.counters().bytes_written;
    array.flush();
    EXPECT_EQ(array.counters().bytes_written, written);  // nothing was dirty any more
  }
  std::ifstream file(path("a"), std::ios::binary);
  std::vector<std::uint64_t> words(kSize);
  file.read(reinterpret_cast<char*>(words.data()), kSize * 8);
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(words[i], splitmix64(i)) << i;
}

TEST_F(PagedArrayTest, ARangeIsFlushedAlone) {
  constexpr std::uint64_t kSize = 64 * 512;  // 64 pages
  auto array = PagedArray<std::uint64_t>::create(path("a"), kSize, {.cache_bytes = 1 << 20});
  for (std::uint64_t i = 0; i < kSize; ++i) array[i] = splitmix64(i);
  const std::uint64_t before = array.counters().bytes_written;
  array.flush(5 * 512 + 511, 7 * 512 + 1);  // ends in pages 5 and 7
  EXPECT_EQ(array.counters().bytes_written - before, 3u * 4096);
  std::ifstream file(path("a"), std::ios::binary);
  std::vector<std::uint64_t> words(kSize);
  file.read(reinterpret_cast<char*>(words.data()), kSize * 8);
  for (std::uint64_t i = 5 * 512; i < 8 * 512; ++i) ASSERT_EQ(words[i], splitmix64(i)) << i;
  EXPECT_EQ(words[8 * 512], 0u) << "the page after it was not written";
  array.flush(9, 9);
  EXPECT_EQ(array.counters().bytes_written - before, 3u * 4096) << "nothing is in an empty range";
  EXPECT_THROW(array.flush(0, kSize + 1), UsageError);
  EXPECT_THROW(array.flush(2, 1), UsageError);
  array.flush();
  EXPECT_EQ(array.counters().bytes_written - before, kSize * 8);
}

TEST_F(PagedArrayTest, ItsEndWritesWhatWasNotFlushed) {
  { PagedArray<std::uint32_t>::create(path("a"), 5000)[4321] = 17; }
  const PagedArray<std::uint32_t> again(path("a"));
  EXPECT_EQ(again[4321], 17u);
  EXPECT_EQ(again[4320], 0u);
  EXPECT_EQ(again.size(), 5 * 4096 / 4u);  // whole pages
}

TEST_F(PagedArrayTest, ThreadsWriteToNeighbouringElements) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kSize = 20'000;
  auto array = PagedArray<std::uint64_t>::create(path("a"), kSize, {.cache_bytes = 12 * 4096, .threads = kThreads});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&array, t] {
      for (int round = 1; round <= 2; ++round) {
        for (std::uint64_t i = static_cast<std::uint64_t>(t); i < kSize; i += kThreads) array[i] = array[i] + i;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(array[i], 2 * i) << i;
}

TEST_F(PagedArrayTest, PrefetchedElementsAreThere) {
  auto array = PagedArray<std::uint16_t>::create(path("a"), 1 << 20, {.cache_bytes = 1 << 20});
  array[70'000] = 5;
  array.flush();
  const PagedArray<std::uint16_t> again(path("a"), {.cache_bytes = 1 << 20});
  again.prefetch(65'536, 80'000);
  again.prefetch(1 << 20, std::uint64_t{1} << 40);  // behind the end
  again.prefetch((1 << 20) - 1, std::uint64_t{1} << 40);
  EXPECT_EQ(again[70'000], 5);
  EXPECT_GE(again.counters().bytes_read, 4096u);
}

// Ranges that begin and end inside of pages, on either side of the pages that are overwritten unread.
TEST_F(PagedArrayTest, RangesAreReadAndWritten) {
  constexpr std::uint64_t kSize = 50'000;
  auto array = PagedArray<std::uint64_t>::create(path("a"), kSize, {.cache_bytes = 8 * 4096});
  std::vector<std::uint64_t> expected(kSize);
  for (std::uint64_t round = 0; round < 200; ++round) {
    const std::uint64_t begin = splitmix64(round) % kSize;
    std::vector<std::uint64_t> values(splitmix64(round + 1000) % std::min<std::uint64_t>(kSize - begin, 3000) + 1);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = expected[begin + i] = splitmix64(round + i);
    array.write(begin, values);
  }
  std::vector<std::uint64_t> found(kSize);
  array.read(0, found);
  EXPECT_EQ(found, expected);
  array.flush();
  const PagedArray<std::uint64_t> again(path("a"), {.cache_bytes = 8 * 4096});
  std::vector<std::uint64_t> middle(20'000);
  again.read(777, middle);
  EXPECT_TRUE(std::equal(middle.begin(), middle.end(), expected.begin() + 777));
}

TEST_F(PagedArrayTest, PagesThatAreOverwrittenAreNotRead) {
  auto array = PagedArray<std::uint64_t>::create(path("a"), 100 * 512, {.cache_bytes = 8 * 4096});
  const std::vector<std::uint64_t> values(98 * 512, 7);
  array.write(512, values);
  array.flush();
  EXPECT_EQ(array.counters().bytes_read, 0u);
  EXPECT_EQ(array.counters().bytes_written, values.size() * 8);
  EXPECT_EQ(array[511], 0u);
  EXPECT_EQ(array[512], 7u);
}

TEST_F(PagedArrayTest, PinnedElementsAreThoseOfTheFile) {
  constexpr std::uint64_t kSize = 40 * 512;
  auto array = PagedArray<std::uint64_t>::create(path("a"), kSize, {.cache_bytes = 8 * 4096});
  for (std::uint64_t i = 100; i < kSize;) {  // the first page in part, the others in full
    const auto out = array.pin_to_overwrite(i, kSize);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = splitmix64(i + j);
    i += out.size();
  }
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < kSize; ++seen) {
    const auto in = array.pin(i, kSize);
    EXPECT_EQ(in.size(), 512u);
    for (std::size_t j = 0; j < in.size(); ++j) ASSERT_EQ(in[j], i + j < 100 ? 0 : splitmix64(i + j)) << i + j;
    i += in.size();
  }
  EXPECT_EQ(seen, 40u);
  array.flush();
  const PagedArray<std::uint64_t> again(path("a"));
  EXPECT_THROW(const_cast<PagedArray<std::uint64_t>&>(again).pin_to_overwrite(0, 512), UsageError);
  EXPECT_EQ(again[kSize - 1], splitmix64(kSize - 1));
  EXPECT_EQ(again.pin(10, 12).size(), 2u);
}

TEST_F(PagedArrayTest, ThreadsOverwriteWhatOthersRead) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kPage = 512;
  auto array = PagedArray<std::uint64_t>::create(path("a"), 64 * kPage, {.cache_bytes = 8 * 4096, .threads = kThreads});
  std::vector<std::thread> threads;
  std::atomic<int> torn{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint64_t> values(kPage);
      for (std::uint64_t round = 1; round <= 50; ++round) {
        for (std::uint64_t page = static_cast<std::uint64_t>(t); page < 64; page += kThreads) {
          array.read(page * kPage, values);
          if (std::count(values.begin(), values.end(), round - 1) != static_cast<std::ptrdiff_t>(kPage)) ++torn;
          std::fill(values.begin(), values.end(), round);
          array.write(page * kPage, values);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(torn.load(), 0);
}

TEST_F(PagedArrayTest, WhatCannotBeIsRefused) {
  EXPECT_THROW(PagedArray<int>(path("none")), DataError);
  EXPECT_THROW(PagedArray<int>(directory_.string()), DataError);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(PagedArray<int>(path("pipe")), DataError);
  std::ofstream(path("odd")) << "12345";
  EXPECT_EQ(PagedArray<char>(path("odd"))[3], '4');
  EXPECT_THROW(PagedArray<char>(path("odd"), {.writable = true}), UsageError);
  EXPECT_THROW(PagedArray<char>(path("odd"), {.page_bytes = 1000}), UsageError);
  EXPECT_THROW(PagedArray<char>(path("odd"), {.cache_bytes = 4096}), UsageError);
}

TEST_F(PagedArrayTest, ACreateThatFailsLeavesWhatWasThere) {
  std::ofstream(path("a")) << "mine";
  using Words = PagedArray<std::uint64_t>;
  constexpr std::uint64_t kWraps = (std::uint64_t{1} << 61) + 1;  // 8 bytes each: 2^64 + 8 in all
  EXPECT_THROW(Words::create(path("a"), kWraps), UsageError);
  EXPECT_THROW(Words::create(path("a"), (std::uint64_t{1} << 60) - 1), UsageError);  // no off_t says how many bytes
  EXPECT_THROW(Words::create(path("a"), std::uint64_t{1} << 57), DataError);         // no disk has so many
  EXPECT_THROW(Words::create(path("a"), 5000, {.cache_bytes = 4096}), UsageError);
  for (const int threads : {0, -1}) EXPECT_THROW(Words::create(path("a"), 5000, {.threads = threads}), UsageError);
  std::ifstream file(path("a"));
  std::string left;
  file >> left;
  EXPECT_EQ(left, "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(PagedArrayTest, WhatLiesPastTheEndIsRefused) {
  auto array = PagedArray<std::uint64_t>::create(path("a"), 1000);
  std::vector<std::uint64_t> values(10, 7);
  array.write(990, values);
  EXPECT_THROW(array.write(991, values), UsageError);
  EXPECT_THROW(array.read(991, values), UsageError);
  EXPECT_THROW(array.read(~std::uint64_t{0} - 4, values), UsageError);
  EXPECT_THROW(array.read(1000), UsageError);
  EXPECT_THROW(array.write(1000, 7), UsageError);
  EXPECT_THROW(array.pin(990, 1001), UsageError);
  EXPECT_THROW(array.pin_to_overwrite(1000, 1000), UsageError);
  array.read(990, values);
  EXPECT_EQ(array.read(999), 7u);
}

TEST_F(PagedArrayTest, WhatIsOpenForReadingCannotBeWrittenTo) {
  std::ofstream(path("a")) << std::string(4096, 'x');
  PagedArray<char> array(path("a"));
  EXPECT_THROW(array[0] = 'y', UsageError);
  EXPECT_EQ(array[0], 'x');
}

TEST_F(PagedArrayTest, AFileThatBecameShorterIsNamed) {
  auto array = PagedArray<char>::create(path("a"), 3 * 4096, {.cache_bytes = 2 * 4096});
  ASSERT_EQ(::truncate(path("a").c_str(), 4096), 0);
  EXPECT_THROW(array.read(2 * 4096), RunError);
  EXPECT_THROW(array.flush(), RunError);  // and so does every later call that waits
}

}  // namespace
}  // namespace graphrun::test
