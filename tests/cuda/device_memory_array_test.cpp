// SPDX-License-Identifier: Apache-2.0
// Arrays of kernels over host memory that a program hands in: by each way to move pages, of each kind of memory, with small and large caches.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/cuda/edge_memory.hpp"
#include "cuda/pager_kernels.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun::test {
namespace {

using Words = DevicePagedArray<std::uint64_t>;
using cuda::EdgeMemory;

constexpr std::uint64_t kOddSize = 1'000'003;  // no whole number of pages

class DeviceMemoryArrayTest : public ::testing::TestWithParam<MemoryFabric> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
    words_.resize(kOddSize);
    for (std::uint64_t i = 0; i < kOddSize; ++i) words_[i] = splitmix64(i);
    memory_ = EdgeMemory::pinned_copy(words_.data(), kOddSize * 8, pool_);
  }

  std::span<std::uint64_t> memory() const { return {static_cast<std::uint64_t*>(memory_.host_data()), kOddSize}; }
  std::span<const std::uint64_t> constant() const { return memory(); }
  std::uint64_t wrong_in_memory(std::uint64_t added) const {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < kOddSize; ++i) wrong += memory()[i] != words_[i] + added;
    return wrong;
  }
  static DevicePagedArrayOptions options(std::uint64_t cache_bytes, bool writable) {
    return {.cache_bytes = cache_bytes, .writable = writable, .fabric = GetParam()};
  }

  std::unique_ptr<CudaExecutor> exec_;
  ThreadPool pool_{2};
  std::vector<std::uint64_t> words_;
  EdgeMemory memory_;
};

// Of few pages, of an eighth, and of all.
constexpr std::uint64_t kCaches[] = {64 * 4096, 1 << 20, 64 << 20};

TEST_P(DeviceMemoryArrayTest, KernelsReadWhatTheMemoryHolds) {
  for (const std::uint32_t page_bytes : {512u, 4096u, 65536u}) {
    for (const std::uint64_t cache_bytes : {std::uint64_t{64} * page_bytes, std::uint64_t{64} << 20}) {
      DevicePagedArrayOptions how = options(cache_bytes, false);
      how.page_bytes = page_bytes;
      const auto array = Words::over(constant(), *exec_, how);
      ASSERT_EQ(array.size(), kOddSize);
      EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 0), 0u) << page_bytes << " " << cache_bytes;
      EXPECT_EQ(count_wrong_by_reader(*exec_, array.view(), 0, false), 0u) << page_bytes << " " << cache_bytes;
      if (page_bytes == 4096) {
        EXPECT_EQ(count_wrong_by_reader(*exec_, array.view(), 0, true), 0u) << cache_bytes;
      }
      EXPECT_NO_THROW(array.throw_if_failed());
      EXPECT_GE(array.counters().bytes_read, kOddSize * 8 / page_bytes * page_bytes);
    }
  }
}

TEST_P(DeviceMemoryArrayTest, ManagedMemoryIsForWarpsThatCopy) {
  const EdgeMemory managed = EdgeMemory::managed_copy(words_.data(), kOddSize * 8, pool_);
  managed.keep_on_host(exec_->device());
  const std::span<const std::uint64_t> words(static_cast<const std::uint64_t*>(managed.data()), kOddSize);
  if (GetParam() == MemoryFabric::proxy) {
    EXPECT_THROW(Words::over(words, *exec_, options(1 << 20, false)), UsageError) << "copies would wait for the kernel";
    return;
  }
  const auto array = Words::over(words, *exec_, options(1 << 20, false));
  EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 0), 0u);
  EXPECT_NO_THROW(array.throw_if_failed());
}

TEST_P(DeviceMemoryArrayTest, WhatKernelsWriteGoesBack) {
  for (const std::uint64_t cache_bytes : kCaches) {
    auto array = Words::over(memory(), *exec_, options(cache_bytes, true));
    fill_array(*exec_, array.view(), 7);
    EXPECT_NO_THROW(array.throw_if_failed());
    if (cache_bytes < kOddSize * 8) {
      EXPECT_GT(array.counters().bytes_written, 0u) << "most pages had to go while it was written";
    }
    EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 7), 0u) << cache_bytes;
    array.flush();
    EXPECT_EQ(wrong_in_memory(7), 0u) << cache_bytes;
    const std::uint64_t written = array.counters().bytes_written;
    EXPECT_GE(written, kOddSize * 8 / 4096 * 4096);
    array.flush();
    EXPECT_EQ(array.counters().bytes_written, written) << "nothing was dirty any more";
  }
}

TEST_P(DeviceMemoryArrayTest, ManyWarpsWriteToEveryPage) {
  for (const std::uint64_t cache_bytes : kCaches) {
    auto array = Words::over(memory(), *exec_, options(cache_bytes, true));
    fill_array(*exec_, array.view(), 0);
    increment_scattered(*exec_, array.view(), 3);
    array.flush();
    EXPECT_EQ(wrong_in_memory(3), 0u) << cache_bytes;
  }
}

TEST_P(DeviceMemoryArrayTest, AfterADropTheMemoryIsReadAnew) {
  auto array = Words::over(memory(), *exec_, options(64 << 20, true));
  fill_array(*exec_, array.view(), 5);
  array.drop();
  EXPECT_EQ(wrong_in_memory(5), 0u) << "which writes back what is dirty";
  for (std::uint64_t& word : memory()) word += 2;
  EXPECT_EQ(count_wrong_elements(*exec_, array.view(), 7), 0u);
}

TEST_P(DeviceMemoryArrayTest, ItsEndWritesWhatWasNotFlushed) {
  fill_array(*exec_, Words::over(memory(), *exec_, options(1 << 20, true)).view(), 9);
  EXPECT_EQ(wrong_in_memory(9), 0u);
}

TEST_P(DeviceMemoryArrayTest, WhatCannotBeIsRefusedOrFails) {
  EXPECT_THROW(Words::over(constant(), *exec_, options(1 << 20, true)), UsageError);
  EXPECT_THROW(Words::over(std::span(words_), *exec_, options(1 << 20, false)), UsageError) << "neither pinned nor managed";
  EXPECT_THROW(Words::over(constant().subspan(1), *exec_, options(1 << 20, false)), UsageError) << "8 bytes too far";
  EXPECT_THROW(Words::over(constant(), *exec_, options(4096, false)), UsageError);
  auto array = Words::over(memory(), *exec_, options(1 << 20, false));
  fill_array(*exec_, array.view(), 1);
  EXPECT_THROW(array.throw_if_failed(), RunError) << "it was opened for reading";
  EXPECT_EQ(wrong_in_memory(0), 0u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, DeviceMemoryArrayTest, ::testing::Values(MemoryFabric::sm, MemoryFabric::proxy),
                         [](const auto& test) { return std::string(test.param == MemoryFabric::sm ? "sm" : "proxy"); });

}  // namespace
}  // namespace graphrun::test
