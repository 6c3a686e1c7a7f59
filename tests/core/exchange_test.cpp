// SPDX-License-Identifier: Apache-2.0

#include "graphrun/exec/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

/// body(exchange) on a thread for each rank.
template <class Body>
void on_each(std::vector<std::unique_ptr<Exchange>>& ranks, Body&& body) {
  std::vector<std::jthread> threads;
  for (auto& rank : ranks) threads.emplace_back([&body, &rank] { body(*rank); });
}

TEST(Exchange, EachRankGetsWhatAllHandedOutInEveryMeeting) {
  auto ranks = exchange_of_threads(5, 60e3);
  on_each(ranks, [](Exchange& mine) {
    for (int turn = 0; turn < 300; ++turn) {
      // Other sizes in each turn, none among them, in memory that is written again at once.
      std::vector<int> values(static_cast<std::size_t>((turn + mine.rank()) % 4), turn * 10 + mine.rank());
      const auto all = mine.all_gather(std::as_bytes(std::span(values)));
      std::ranges::fill(values, -1);
      ASSERT_EQ(all.size(), 5u);
      for (int rank = 0; rank < 5; ++rank) {
        const auto bytes = all[static_cast<std::size_t>(rank)];
        ASSERT_EQ(bytes.size(), static_cast<std::size_t>((turn + rank) % 4) * sizeof(int));
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(int)) {
          int value = 0;
          std::memcpy(&value, bytes.data() + i, sizeof(value));
          ASSERT_EQ(value, turn * 10 + rank);
        }
      }
    }
  });
  EXPECT_EQ(ranks[3]->counts().exchanges, 300u);
}

TEST(Exchange, RanksInDifferentStepsAreFoundByTheSizesOfTheirBytes) {
  auto ranks = exchange_of_threads(2, 60e3);
  on_each(ranks, [](Exchange& mine) {
    try {
      if (mine.rank() == 0) gather_values(mine, std::uint64_t{7});
      if (mine.rank() == 1) gather_values(mine, std::uint32_t{7});
      ADD_FAILURE() << "rank " << mine.rank() << " took the bytes of another step";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), mine.rank() == 0
                                     ? "ranks are in different steps: one published 4 bytes where another expects 8"
                                     : "ranks are in different steps: one published 8 bytes where another expects 4");
    }
  });
}

TEST(Exchange, ARankThatDoesNotComeIsNamedByAllAfterTheDeadline) {
  auto ranks = exchange_of_threads(3, 50);
  on_each(ranks, [](Exchange& mine) {
    if (mine.rank() == 1) return;
    try {
      mine.all_gather({});
      ADD_FAILURE() << "rank 1 was there";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), "rank 1 did not come to the others within 0.05 s");
    }
  });
}

TEST(Exchange, ARankThatEndsIsNamedWithItsErrorAndAllMayStartOver) {
  auto ranks = exchange_of_threads(3, 60e3);
  on_each(ranks, [](Exchange& mine) {
    if (mine.rank() == 2) return mine.leave("its disk is gone");
    try {
      mine.all_gather({});
      ADD_FAILURE() << "rank 2 was there";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), "rank 2 ended: its disk is gone");
    }
  });
  for (auto& rank : ranks) rank->start_over();
  on_each(ranks, [](Exchange& mine) { EXPECT_EQ(mine.all_gather({}).size(), 3u); });
}

}  // namespace
}  // namespace graphrun
