// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "cuda/pager_kernels.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/ops/cuda_subgraphs.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 1'000'000;

class DevicePagedArrayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
    std::string made = (fs::temp_directory_path() / "graphrun_array_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory_ = made;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  std::uint64_t wrong_in_file(const std::string& name, std::uint64_t added) const {
    std::ifstream file(path(name), std::ios::binary);
    std::vector<std::uint64_t> words(kSize);
    file.read(reinterpret_cast<char*>(words.data()), kSize * 8);
    std::uint64_t wrong = file ? 0 : kSize;
    for (std::uint64_t i = 0; i < kSize; ++i) wrong += words[i] != splitmix64(i) + added;
    return wrong;
  }

  std::unique_ptr<CudaExecutor> exec_;
  fs::path directory_;
};

TEST_F(DevicePagedArrayTest, WhatIsWrittenIsReadAgainAlsoFromTheFile) {
  // Caches of few pages, of an eighth, and of all.
  for (const std::uint64_t cache_bytes : {64u * 4096u, 1u << 20, 64u << 20}) {
    auto array = DevicePagedArray<std::uint64_t>::create(path("a"), kSize, *exec_, {.cache_bytes = cache_bytes});
    EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 0), kSize) << "zeros at first";
    EXPECT_EQ(array.counters().bytes_read, 0u) << "which need no reading";
    fill_array(*exec_, array.view(), 7);
    EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 7), 0u);
    EXPECT_NO_THROW(array.throw_if_failed());
    if (cache_bytes < kSize * 8) {
      EXPECT_GT(array.counters().bytes_written, 0u) << "most pages had to go while it was written";
    }
    array.flush();
    EXPECT_EQ(wrong_in_file("a", 7), 0u);
    const std::uint64_t written = array.counters().bytes_written;
    EXPECT_GE(written, kSize * 8);
    array.flush();
    EXPECT_EQ(array.counters().bytes_written, written) << "nothing was dirty any more";
  }
}

TEST_F(DevicePagedArrayTest, ManyWarpsWriteToEveryPage) {
  for (const std::uint64_t cache_bytes : {64u * 4096u, 512u << 10, 64u << 20}) {
    auto array = DevicePagedArray<std::uint64_t>::create(path("a"), kSize, *exec_, {.cache_bytes = cache_bytes});
    fill_array(*exec_, array.view(), 0);
    increment_scattered(*exec_, array.view(), 3);
    array.flush();
    EXPECT_EQ(wrong_in_file("a", 3), 0u) << cache_bytes;
  }
}

TEST_F(DevicePagedArrayTest, ItsEndWritesWhatWasNotFlushedAndHostThreadsReadIt) {
  fill_array(*exec_, DevicePagedArray<std::uint64_t>::create(path("a"), kSize, *exec_).view(), 5);
  const PagedArray<std::uint64_t> again(path("a"));
  for (std::uint64_t i = 0; i < kSize; i += 1001) ASSERT_EQ(again[i], splitmix64(i) + 5) << i;
  DevicePagedArray<std::uint64_t> writable(path("a"), *exec_, {.cache_bytes = 1 << 20, .writable = true});
  EXPECT_EQ(count_wrong_elements(*exec_, writable.view(), 5), writable.size() - kSize) << "but for the last page's rest";
}

TEST_F(DevicePagedArrayTest, TheExampleAdds) {
  const DevicePagedArrayOptions small{.cache_bytes = 1 << 20};
  auto a = DevicePagedArray<float>::create(path("a"), kSize, *exec_, small);
  auto b = DevicePagedArray<float>::create(path("b"), kSize, *exec_, small);
  count_up(*exec_, a.view());
  count_up(*exec_, b.view());
  auto sum = DevicePagedArray<float>::create(path("sum"), kSize, *exec_, small);
  add_arrays(*exec_, a.view(), b.view(), sum.view());
  sum.flush();
  const PagedArray<float> seen(path("sum"));
  for (std::uint64_t i = 0; i < kSize; i += 997) ASSERT_EQ(seen[i], 2 * static_cast<float>(i)) << i;
}

template <class T>
class DeviceElementsTest : public DevicePagedArrayTest {};
using ElementTypes = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, TwoWords>;
TYPED_TEST_SUITE(DeviceElementsTest, ElementTypes);

// Elements of 1, 2 and 16 bytes did not compile, and all lanes of a warp had to come to each access.
TYPED_TEST(DeviceElementsTest, AreWrittenAndReadByWarpsAndByLanesThatDiverged) {
  constexpr std::uint64_t kElements = 100'003;
  for (const std::uint64_t cache_bytes : {64u * 4096u, 64u << 20}) {
    for (const bool writes_alone : {false, true}) {
      const std::string name = this->path("a");
      auto array = DevicePagedArray<TypeParam>::create(name, kElements, *this->exec_, {.cache_bytes = cache_bytes});
      fill_elements(*this->exec_, array.view(), writes_alone);
      for (const bool reads_alone : {false, true})
        EXPECT_EQ(count_wrong_values(*this->exec_, array.view(), reads_alone), 0u) << writes_alone << reads_alone;
      array.drop();
      for (const bool reads_alone : {false, true})
        EXPECT_EQ(count_wrong_values(*this->exec_, array.view(), reads_alone), 0u) << "from the file " << reads_alone;
      EXPECT_NO_THROW(array.throw_if_failed());
    }
  }
}

// The last bytes of memory that is no whole number of words were left out.
TYPED_TEST(DeviceElementsTest, OfMemoryAreReadToTheLast) {
  constexpr std::uint64_t kElements = 4099;
  const cuda::PinnedArray<TypeParam> memory(kElements);
  const std::span<TypeParam> elements(memory.data(), kElements);
  for (std::uint64_t i = 0; i < kElements; ++i) elements[i] = element_at<TypeParam>(i);
  for (const bool alone : {false, true}) {
    const auto array = DevicePagedArray<TypeParam>::over(std::span<const TypeParam>(elements), *this->exec_);
    EXPECT_EQ(count_wrong_values(*this->exec_, array.view(), alone), 0u) << alone;
  }
}

TEST_F(DevicePagedArrayTest, ARangeIsFlushedAlone) {
  auto array = DevicePagedArray<std::uint64_t>::create(path("a"), kSize, *exec_);
  fill_array(*exec_, array.view(), 7);
  const std::uint64_t before = array.counters().bytes_written;
  array.flush(5 * 512 + 511, 7 * 512 + 1);  // ends in pages 5 and 7
  EXPECT_EQ(array.counters().bytes_written - before, 3u * 4096);
  EXPECT_THROW(array.flush(0, kSize + 1), UsageError);
  array.flush();
  EXPECT_EQ(wrong_in_file("a", 7), 0u);
}

TEST_F(DevicePagedArrayTest, WhatCannotBeIsRefusedOrFails) {
  EXPECT_THROW(DevicePagedArray<float>(path("none"), *exec_), DataError);
  { DevicePagedArray<std::uint64_t>::create(path("a"), kSize, *exec_); }
  EXPECT_THROW(DevicePagedArray<float>(path("a"), *exec_, {.page_bytes = 65536, .writable = true}), UsageError);
  EXPECT_THROW(DevicePagedArray<float>(path("a"), *exec_, {.page_bytes = 1000}), UsageError);
  EXPECT_THROW(DevicePagedArray<float>(path("a"), *exec_, {.cache_bytes = 4096}), UsageError);
  for (const std::uint64_t cache_bytes : {64u * 4096u, 64u << 20}) {
    DevicePagedArray<std::uint64_t> array(path("a"), *exec_, {.cache_bytes = cache_bytes});
    EXPECT_NO_THROW(array.throw_if_failed());
    fill_array(*exec_, array.view(), 1);
    EXPECT_THROW(array.throw_if_failed(), RunError) << "it was opened for reading";
  }
}

}  // namespace
}  // namespace graphrun::test
