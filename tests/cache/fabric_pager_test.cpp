// SPDX-License-Identifier: Apache-2.0
// The pager over one-sided reads, some of which go wrong: it brings the right bytes or names the cause.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cache/hashed_store.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"
#include "support/faulty_engine.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint32_t kPageBytes = 4096;
constexpr PageId kPages = HashedStore::kBytes / kPageBytes;

class FabricPager : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_fabric(provider()); !missing.empty()) GTEST_SKIP() << missing;
    std::ifstream file(store_.path(), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    exported_ = export_memory(provider(), node(), 1);
    place_ = exported_->add(std::as_bytes(std::span(bytes_)));
  }
  static std::string provider() { return GetParam(); }
  static std::string node() { return provider() == "shm" ? "" : "127.0.0.1"; }

  std::unique_ptr<BlockEngine> open(std::uint32_t depth) const {
    FabricServer server{"the test", node(), exported_->endpoints(), {{0, HashedStore::kBytes, place_}}};
    return open_fabric_engine({provider(), {{server}}}, depth);
  }

  /// The error of two threads that read many pages, or nothing when all was right.
  std::string run(const FaultPlan& plan, const PagerOptions& options) const {
    std::vector<PagedColumn> columns{{0, HashedStore::kBytes, 0}};
    HostPager pager(options, columns, [&](std::uint32_t depth) { return make_faulty_engine(open(depth), plan); });
    std::string errors[2];
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::uint64_t i = 0; i < 200; ++i) {
            const PageId ahead = splitmix64(plan.seed, i + 3, t) % (kPages - 4);
            pager.prefetch(ahead, ahead + i % 4);
            HashedStore::expect_page(pager, splitmix64(plan.seed, i, t) % kPages);
          }
        } catch (const RunError& error) {
          errors[t] = error.what();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    return errors[0].empty() ? errors[1] : errors[0];
  }
  static PagerOptions options(std::uint64_t frames, std::uint32_t queues) {
    return {.page_bytes = kPageBytes, .cache_bytes = frames * kPageBytes, .queues = queues, .queue_depth = 8, .workers = 2};
  }

  HashedStore store_;
  std::vector<char> bytes_;
  std::unique_ptr<MemoryExport> exported_;
  ExportedMemory place_{};
};

TEST_P(FabricPager, AllPagesAreRightThroughCachesAndQueuesOfAllSizes) {
  for (const std::uint64_t frames : {3, 40, 1000}) {
    for (const std::uint32_t queues : {0, 7, 84}) {
      SCOPED_TRACE(std::to_string(frames) + " frames, " + std::to_string(queues) + " queues");
      EXPECT_EQ(run({.seed = frames + queues}, options(frames, queues)), "");
    }
  }
}

TEST_P(FabricPager, OutcomesThatComeLateOrTwiceDoNoHarm) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(run({.seed = seed, .delayed = 200, .duplicated = 200}, options(10 + seed, 4)), "") << "seed " << seed;
  }
}

TEST_P(FabricPager, FailuresAreNamed) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string error = run({.seed = seed, .delayed = 50, .failing = 10, .short_reads = 10}, options(12, 4));
    if (error.empty()) continue;
    ++failed;
    EXPECT_NE(error.find("a read that was made to"), std::string::npos) << error;
  }
  EXPECT_GT(failed, 5) << "faults are too rare to test anything";
}

TEST_P(FabricPager, OutcomesThatNeverComeEndAtTheDeadline) {
  PagerOptions how = options(12, 4);
  how.deadline = std::chrono::milliseconds(100);
  const std::string error = run({.seed = 1, .dropped = 100}, how);
  EXPECT_NE(error.find("within 100 ms"), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(Providers, FabricPager, ::testing::Values("tcp", "shm"), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace graphrun::test
