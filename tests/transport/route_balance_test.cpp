// SPDX-License-Identifier: Apache-2.0
// Cached bytes go to the shorter queue: copies by a processor, or reads by storage.
#include "transport/route_balance.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace graphrun::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kRead = 512 << 10;
constexpr TransferCosts kSlowDisk{.command_us = 15, .cutoff_pages = 4, .direct_page_us = 1.3, .cached_page_us = 0.6};

TEST(RouteBalance, OneReadIsCopied) { EXPECT_FALSE(RouteBalance().is_storage_sooner(kSlowDisk, kRead)); }

TEST(RouteBalance, StorageThatIsIdleHelpsWithALongQueueOfCopies) {
  RouteBalance balance;
  for (int i = 0; i < 4; ++i) balance.queue_copy(kRead);
  EXPECT_TRUE(balance.is_storage_sooner(kSlowDisk, kRead));
  for (int i = 0; i < 4; ++i) balance.start_read(kRead, {});
  EXPECT_FALSE(balance.is_storage_sooner(kSlowDisk, kRead));
  for (int i = 0; i < 4; ++i) balance.take_copy(kRead);
  balance.end_reads(kSlowDisk, 4 * kRead, {});
  EXPECT_FALSE(balance.is_storage_sooner(kSlowDisk, kRead));
}

// A processor with other work copied at a third of its rate: the page cache gave 1.1 GB/s, the disk 2.9.
TEST(RouteBalance, SlowCopiesAreLeftToStorageUntilTheyAreTriedAgain) {
  RouteBalance balance;
  for (int i = 0; i < 500; ++i) balance.end_copies(kSlowDisk, kRead, 3 * 77us);
  ASSERT_TRUE(balance.is_storage_sooner(kSlowDisk, kRead));
  int reads = 0;
  for (; balance.is_storage_sooner(kSlowDisk, kRead); ++reads) {
    ASSERT_LT(reads, 2000);
    balance.prefer_storage(kRead);
  }
  EXPECT_GT(reads, 20);
}

TEST(RouteBalance, StorageThatBecameSlowGetsLess) {
  RouteBalance balance;
  for (int i = 0; i < 4; ++i) balance.queue_copy(kRead);
  balance.start_read(2 * kRead, {});
  for (int i = 1; i <= 500; ++i) {  // never idle
    balance.start_read(kRead, {});
    balance.end_reads(kSlowDisk, kRead, RouteBalance::Clock::time_point(i * 2ms));
  }
  EXPECT_FALSE(balance.is_storage_sooner(kSlowDisk, kRead));
}

// A thread that had no processor for half of the time.
TEST(RouteBalance, ReadsThatAreFoundLateSayNothingOfStorage) {
  RouteBalance balance;
  for (int i = 0; i < 4; ++i) balance.queue_copy(kRead);
  balance.start_read(kRead, {});
  balance.note_wait(kSlowDisk, RouteBalance::Clock::time_point(1us), {});
  for (int i = 1; i <= 500; ++i) {
    const RouteBalance::Clock::time_point now(i * 2ms);
    balance.note_wait(kSlowDisk, now, i * 1ms);
    balance.start_read(kRead, {});
    balance.end_reads(kSlowDisk, kRead, now);
  }
  EXPECT_TRUE(balance.is_storage_sooner(kSlowDisk, kRead));
}

TEST(RouteBalance, WaitsForAProcessorAreTheCopiesThatWereBeforeThem) {
  RouteBalance copying, reading;
  for (int i = 1; i <= 500; ++i) {
    copying.end_copies(kSlowDisk, kRead, 77us);
    for (RouteBalance* const balance : {&copying, &reading}) {
      const RouteBalance::Clock::time_point now(i * 3ms);
      ASSERT_TRUE(balance->is_time_for_wait(now));
      balance->note_wait(kSlowDisk, now, i * 2ms);
      ASSERT_FALSE(balance->is_time_for_wait(now + 500us));
    }
  }
  EXPECT_TRUE(copying.is_storage_sooner(kSlowDisk, kRead));
  EXPECT_FALSE(reading.is_storage_sooner(kSlowDisk, kRead));
}

}  // namespace
}  // namespace graphrun::test
