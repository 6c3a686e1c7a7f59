// SPDX-License-Identifier: Apache-2.0
// The page cache of a GPU by itself: what warps read through it is right in every shape of it, also over storage that delays,
// repeats and fails; what is dropped or fails ends in an error that names it.
#include "graphrun/cache/device_pager.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cache/fault_kinds.hpp"
#include "cache/hashed_store.hpp"
#include "cuda/pager_kernels.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kWords = HashedStore::kBytes / 8;

class DevicePagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
  }

  std::unique_ptr<DevicePager> open(const DevicePagerOptions& options, const std::string& storage, const FaultPlan& plan = {}) {
    std::vector<PagedColumn> columns{{0, HashedStore::kBytes, 0}};
    return std::make_unique<DevicePager>(
        options, columns, *exec_, [&](std::uint32_t depth) { return make_faulty_engine(store_.open(storage, depth), plan); });
  }

  HashedStore store_;
  std::unique_ptr<CudaExecutor> exec_;
};

TEST_F(DevicePagerTest, ReadsAreRightForEveryShape) {
  for (const std::uint32_t page_bytes : {512u, 4096u, 65536u}) {
    for (const std::uint64_t pages : {64u, 200u, 100'000u}) {
      for (const bool coalesce : {true, false}) {
        for (const bool scattered : {true, false}) {
          const auto pager =
              open({.page_bytes = page_bytes, .cache_bytes = pages * page_bytes, .coalesce = coalesce}, "unlimited");
          EXPECT_EQ(count_wrong_words(*exec_, *pager, kWords, pages, 4, scattered), 0u)
              << page_bytes << " " << pages << " " << coalesce << " " << scattered;
          EXPECT_NO_THROW(pager->throw_if_failed());
          EXPECT_GT(pager->counters().misses, 0u);
        }
      }
    }
  }
}

TEST_F(DevicePagerTest, WhatIsThereIsNotReadAgain) {
  const auto pager = open({.cache_bytes = 2 * HashedStore::kBytes}, "file");
  EXPECT_EQ(count_wrong_words(*exec_, *pager, kWords, 1, 40, true), 0u);
  EXPECT_EQ(pager->counters().misses, (HashedStore::kBytes + 4095) / 4096);
  pager->reset_counters();
  EXPECT_EQ(count_wrong_words(*exec_, *pager, kWords, 2, 40, true), 0u);
  EXPECT_EQ(pager->counters().misses, 0u);
  pager->drop();
  EXPECT_EQ(count_wrong_words(*exec_, *pager, kWords, 2, 40, true), 0u);
  EXPECT_EQ(pager->counters().misses, (HashedStore::kBytes + 4095) / 4096);
}

TEST_F(DevicePagerTest, WithoutACacheEveryReadAsksStorage) {
  const auto pager = open({.cache_bytes = 64 * 4096, .cached = false}, "unlimited");
  EXPECT_EQ(count_wrong_words(*exec_, *pager, kWords, 3, 2, true), 0u);
  EXPECT_GT(pager->counters().misses, 100'000u);
}

/// Works for a while, then throws, as an engine does whose library or system call fails outright.
class BreakingEngine final : public BlockEngine {
 public:
  explicit BreakingEngine(std::unique_ptr<BlockEngine> inner) : inner_(std::move(inner)) {}
  void use_memory(std::span<std::byte> memory) override { inner_->use_memory(memory); }
  std::string description() const override { return inner_->description() + ", that breaks"; }
  bool emulated() const override { return true; }
  std::uint32_t sector_bytes() const override { return inner_->sector_bytes(); }
  bool start(const BlockRequest& request) override { return inner_->start(request); }
  std::size_t poll(Done* outcomes, std::size_t most) override {
    const std::size_t count = inner_->poll(outcomes, most);
    completed_ += count;
    if (completed_ > 100) throw RunError("the engine broke");
    return count;
  }
  std::string last_error() const override { return inner_->last_error(); }

 private:
  std::unique_ptr<BlockEngine> inner_;
  std::size_t completed_ = 0;
};

TEST_F(DevicePagerTest, AnEngineThatThrowsEndsTheRunWithItsReason) {
  const DevicePagerOptions options{
      .page_bytes = 512, .cache_bytes = std::uint64_t{1} << 17, .controllers = 2, .deadline = std::chrono::milliseconds(50)};
  std::vector<PagedColumn> columns{{0, HashedStore::kBytes, 0}};
  DevicePager pager(options, columns, *exec_,
                    [&](std::uint32_t depth) { return std::make_unique<BreakingEngine>(store_.open("unlimited", depth)); });
  count_wrong_words(*exec_, pager, kWords, 1, 1, true);
  try {
    pager.throw_if_failed();
    FAIL() << "no read failed";
  } catch (const RunError& failure) {
    EXPECT_NE(std::string(failure.what()).find("the engine broke"), std::string::npos) << failure.what();
  }
}

class DevicePagerFaults : public DevicePagerTest, public ::testing::WithParamInterface<FaultKind> {};

TEST_P(DevicePagerFaults, ARunIsRightOrNamesItsCause) {
  const FaultKind& kind = GetParam();
  constexpr int kRuns = 60;
  int failed = 0;
  for (int i = 0; i < kRuns; ++i) {
    FaultPlan plan = kind.plan;
    plan.seed = static_cast<std::uint64_t>(i) + 1;
    // A frame for every page, or few; queues that are too short for all warps, or not.
    const DevicePagerOptions options{.page_bytes = 512,
                                     .cache_bytes = i % 3 == 0 ? 2 * HashedStore::kBytes : std::uint64_t{1} << 17,
                                     .queues = i % 2 == 0 ? 16u : 2u,
                                     .queue_depth = 16,
                                     .controllers = 2,
                                     .deadline = std::chrono::milliseconds(plan.dropped == 0 ? 10'000 : 20)};
    const auto start = std::chrono::steady_clock::now();
    const auto pager = open(options, i % 4 == 0 ? "file" : "unlimited", plan);
    const std::uint64_t wrong = count_wrong_words(*exec_, *pager, kWords, plan.seed, 1, true);
    std::string error;
    try {
      pager->throw_if_failed();
    } catch (const RunError& failure) {
      error = failure.what();
    }
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "seed " << plan.seed;
    if (error.empty()) {
      ASSERT_EQ(wrong, 0u) << "seed " << plan.seed;
      continue;
    }
    ++failed;
    ASSERT_TRUE(names_one_of(error, kind.causes)) << "seed " << plan.seed << ": " << error;
    ASSERT_NE(error.find("page "), std::string::npos) << error;
  }
  fmt::print("{} runs, {} of them failed and said why\n", kRuns, failed);
  EXPECT_TRUE(kind.causes.empty() || failed > 0) << "faults are too rare to test anything";
}

INSTANTIATE_TEST_SUITE_P(Kinds, DevicePagerFaults, ::testing::ValuesIn(kFaultKinds),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace graphrun::test
