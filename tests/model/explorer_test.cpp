// SPDX-License-Identifier: Apache-2.0
// The explorer itself, with small programs whose outcomes are known.
#include "explorer.hpp"

#include <gtest/gtest.h>

namespace model {
namespace {

struct Words {
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t sum;
  Cell<std::uint64_t> data;
};

Report run(
    std::vector<std::function<void(Words&)>> threads, std::function<void(Words&)> at_end = [](Words&) {}) {
  return explore(Model<Words>{.initial = {}, .threads = std::move(threads), .at_end = std::move(at_end)});
}

void increment_in_two_steps(Words& words) { store(words.first, load(words.first, Order::relaxed) + 1, Order::relaxed); }

TEST(Explorer, VisitsEveryStateOnce) {
  const auto two_stores = [](std::uint64_t Words::*word) {
    return [word](Words& words) {
      store(words.*word, std::uint64_t{1}, Order::relaxed);
      store(words.*word, std::uint64_t{2}, Order::relaxed);
    };
  };
  const Report report = run({two_stores(&Words::first), two_stores(&Words::second)});
  EXPECT_EQ(report.violation, "");
  EXPECT_EQ(report.states, 9u);
  EXPECT_EQ(report.steps, 12u);
  EXPECT_EQ(report.ends, 1u);
}

TEST(Explorer, FindsLostUpdates) {
  const Report report = run({increment_in_two_steps, increment_in_two_steps},
                            [](Words& words) { require(words.first == 2, "an increment is lost"); });
  EXPECT_EQ(report.violation, "an increment is lost");
  EXPECT_EQ(report.trace.size(), 4u);
}

TEST(Explorer, FollowsEveryChoice) {
  const Report report = run({[](Words& words) { store(words.first, static_cast<std::uint64_t>(choose(3)), Order::relaxed); }},
                            [](Words& words) { require(words.first != 2, "two was chosen"); });
  EXPECT_EQ(report.violation, "two was chosen");
}

TEST(Explorer, TellsPositionsApartThatDifferInAZero) {
  const Report report = run({[](Words& words) {
                              const bool chosen = choose(2) == 0;
                              at(1, 0, chosen);
                              store(words.first, chosen ? std::uint64_t{1} : std::uint64_t{2}, Order::relaxed);
                            }},
                            [](Words& words) { require(words.first != 2, "not chosen"); });
  EXPECT_EQ(report.violation, "not chosen");
}

/// Waits until the word is 1.
void wait_for(std::uint64_t& word, std::uint64_t place, Order order) {
  do at(place);
  while (load(word, order) == 0);
}

TEST(Explorer, FindsThreadsThatWaitForEachOther) {
  const Report report = run({[](Words& words) {
                               wait_for(words.first, 1, Order::acquire);
                               store(words.second, std::uint64_t{1}, Order::release);
                             },
                             [](Words& words) {
                               wait_for(words.second, 1, Order::acquire);
                               store(words.first, std::uint64_t{1}, Order::release);
                             }});
  EXPECT_EQ(report.violation, "from here no schedule ends");
}

TEST(Explorer, WaitingForAnotherIsNoFairCycleButGivingWayToEachOtherIs) {
  const Report waits = run({[](Words& words) { wait_for(words.first, 1, Order::acquire); },
                            [](Words& words) { store(words.first, std::uint64_t{1}, Order::release); }});
  EXPECT_EQ(waits.violation, "");
  EXPECT_EQ(waits.fair_cycles, 0u);

  const auto politely = [](std::uint64_t Words::*mine, std::uint64_t Words::*other) {
    return [mine, other](Words& words) {
      for (;;) {
        at(1);
        store(words.*mine, std::uint64_t{1}, Order::relaxed);
        const bool free = load(words.*other, Order::relaxed) == 0;
        if (free) break;
        store(words.*mine, std::uint64_t{0}, Order::relaxed);
      }
      store(words.*mine, std::uint64_t{0}, Order::relaxed);
    };
  };
  const Report gives_way = run({politely(&Words::first, &Words::second), politely(&Words::second, &Words::first)});
  EXPECT_EQ(gives_way.violation, "");
  EXPECT_GT(gives_way.fair_cycles, 0u);
}

Report pass_data(Order stores, Order loads) {
  return run({[stores](Words& words) {
                words.data = 7;
                store(words.first, std::uint64_t{1}, stores);
              },
              [loads](Words& words) {
                wait_for(words.first, 1, loads);
                require(words.data == 7, "old data");
              }});
}

TEST(Explorer, SeesRacesThatOnlyTheOrdersOfAccessesPrevent) {
  EXPECT_EQ(pass_data(Order::release, Order::acquire).violation, "");
  EXPECT_NE(pass_data(Order::relaxed, Order::acquire).violation.find("a race"), std::string::npos);
  EXPECT_NE(pass_data(Order::release, Order::relaxed).violation.find("a race"), std::string::npos);
}

TEST(Explorer, ARelaxedChangeKeepsWhatWasReleasedAndARelaxedStoreDoesNot) {
  const auto pass_through = [](bool by_change) {
    return run({[](Words& words) {
                  words.data = 7;
                  store(words.first, std::uint64_t{1}, Order::release);
                },
                [by_change](Words& words) {
                  wait_for(words.first, 1, Order::relaxed);
                  if (by_change) change(words.first, Order::relaxed, [](std::uint64_t before) { return before + 1; });
                  if (!by_change) store(words.first, std::uint64_t{2}, Order::relaxed);
                },
                [](Words& words) {
                  std::uint64_t seen = 0;
                  do at(1);
                  while ((seen = load(words.first, Order::acquire)) != 2);
                  require(words.data == 7, "old data");
                }});
  };
  EXPECT_EQ(pass_through(true).violation, "");
  EXPECT_NE(pass_through(false).violation.find("a race"), std::string::npos);
}

TEST(Explorer, AReaderMustBeDoneBeforeTheNextWrite) {
  const Report report = run({[](Words& words) {
                               store(words.first, std::uint64_t{1}, Order::release);
                               words.data = 7;
                             },
                             [](Words& words) {
                               pause();
                               require(words.data <= 7, "neither old nor new");
                             }});
  EXPECT_NE(report.violation.find("a race"), std::string::npos);
}

TEST(Explorer, EndsWhenThereAreTooManyStates) {
  Words words{};
  Program program{.shared = &words,
                  .bytes = sizeof(words),
                  .bodies = {[&] {
                    for (;;) store(words.first, words.first + 1, Order::relaxed);
                  }},
                  .normalise = [] {},
                  .at_end = [] {}};
  EXPECT_EQ(explore(std::move(program), 1000).violation, "more than 1000 states");
}

}  // namespace
}  // namespace model
