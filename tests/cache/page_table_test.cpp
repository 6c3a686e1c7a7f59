// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/page_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

using Answer = PageTable::Answer;

struct Table {
  Table(std::size_t pages, FrameId frames) : words(pages), owners(frames) {}
  PageTable ref() { return {words.data(), owners.data(), &hand, static_cast<FrameId>(owners.size())}; }

  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> owners;
  std::uint64_t hand = 0;
};

TEST(PageTable, AClaimedPageBelongsToOneUntilItIsPublished) {
  Table memory(4, 2);
  const PageTable table = memory.ref();
  EXPECT_EQ(table.grab(1, 1).answer, Answer::claimed);
  EXPECT_EQ(table.grab(1, 1).answer, Answer::loading);
  EXPECT_FALSE(table.claim_if_absent(1));
  const FrameId frame = table.take_frame(2);
  ASSERT_NE(frame, kNoFrame);
  table.publish(1, frame, 3);
  EXPECT_EQ(page_word::references(memory.words[1]), 3u);
  const auto grabbed = table.grab(1, 2);
  EXPECT_EQ(grabbed.answer, Answer::resident);
  EXPECT_EQ(grabbed.frame, frame);
  EXPECT_EQ(page_word::references(memory.words[1]), 5u);
}

TEST(PageTable, FramesOfHeldPagesAreNotTaken) {
  Table memory(4, 2);
  const PageTable table = memory.ref();
  for (PageId page = 0; page < 2; ++page) {
    ASSERT_EQ(table.grab(page, 1).answer, Answer::claimed);
    table.publish(page, table.take_frame(2), 1);
  }
  EXPECT_EQ(table.take_frame(100), kNoFrame);
  table.release(1, 1);
  const FrameId freed = table.take_frame(100);
  ASSERT_NE(freed, kNoFrame);
  EXPECT_EQ(table.grab(1, 1).answer, Answer::claimed);  // gone
  EXPECT_EQ(table.grab(0, 1).answer, Answer::resident);
}

TEST(PageTable, EveryEvictionIsANewGeneration) {
  Table memory(1, 1);
  const PageTable table = memory.ref();
  constexpr std::uint64_t kGenerations = std::uint64_t{1} << (64 - page_word::kGenerationShift);
  for (std::uint64_t generation = 0; generation < 3000; ++generation) {  // more than the bits hold
    EXPECT_EQ(memory.words[0] >> page_word::kGenerationShift, generation % kGenerations);
    ASSERT_EQ(table.grab(0, 1).answer, Answer::claimed);
    table.publish(0, table.take_frame(1), 0);
    ASSERT_EQ(table.take_frame(1), 0u);
    memory.owners[0] = PageTable::kFree;
  }
}

TEST(PageTable, AbandonedPagesAndFramesCanBeHadAgain) {
  Table memory(2, 1);
  const PageTable table = memory.ref();
  ASSERT_EQ(table.grab(0, 1).answer, Answer::claimed);
  table.abandon(0, table.take_frame(1));
  EXPECT_EQ(memory.words[0], 0u);
  EXPECT_EQ(table.grab(1, 1).answer, Answer::claimed);
  EXPECT_EQ(table.take_frame(1), 0u);
}

// Threads read random pages through a cache much smaller than the pages; a frame says which page it holds, and that must not
// change while a reference is held.
TEST(PageTable, NobodyReadsAFrameThatWasGivenToAnotherPage) {
  constexpr std::size_t kPages = 64;
  constexpr FrameId kFrames = 6;
  constexpr int kThreads = 4;
  Table memory(kPages, kFrames);
  std::vector<std::atomic<std::uint64_t>> contents(kFrames);
  std::atomic<std::uint64_t> loads{0};
  std::atomic<bool> wrong{false};
  const PageTable table = memory.ref();
  const auto work = [&](std::uint64_t seed) {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const PageId page = splitmix64(seed, i, 0) % kPages;
      for (;;) {
        const auto grabbed = table.grab(page, 1);
        if (grabbed.answer == Answer::resident) {
          for (int look = 0; look < 3; ++look) {
            if (contents[grabbed.frame].load(std::memory_order_relaxed) != page + 1) wrong = true;
          }
          table.release(page, 1);
          break;
        }
        if (grabbed.answer != Answer::claimed) {
          std::this_thread::yield();
          continue;
        }
        FrameId frame = kNoFrame;
        while ((frame = table.take_frame(kFrames)) == kNoFrame) std::this_thread::yield();
        contents[frame].store(0, std::memory_order_relaxed);
        contents[frame].store(page + 1, std::memory_order_relaxed);
        loads.fetch_add(1);
        table.publish(page, frame, 0);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(wrong);
  EXPECT_GT(loads.load(), kPages);
  for (const std::uint64_t word : memory.words) EXPECT_EQ(page_word::references(word), 0u);
}

TEST(PageTable, ADirtyPageIsCleanedBeforeItGoes) {
  Table memory(2, 1);
  const PageTable table = memory.ref();
  ASSERT_EQ(table.grab(0, 1).answer, Answer::claimed);
  table.publish(0, table.take_frame(1), 1);
  EXPECT_FALSE(table.begin_cleaning(0).begun);
  table.mark_dirty(0);
  std::vector<PageId> told;
  const auto tell = [&](PageId page) { told.push_back(page); };
  EXPECT_EQ(table.take_frame(1, tell), kNoFrame);  // in use
  EXPECT_TRUE(told.empty());
  table.release(0, 1);
  EXPECT_EQ(table.take_frame(3, tell), kNoFrame);
  EXPECT_EQ(told, (std::vector<PageId>{0, 0, 0}));
  const auto cleaning = table.begin_cleaning(0);
  ASSERT_TRUE(cleaning.begun);
  EXPECT_EQ(cleaning.frame, 0u);
  EXPECT_FALSE(table.begin_cleaning(0).begun);
  EXPECT_EQ(table.take_frame(1, tell), kNoFrame);  // on its way to storage
  table.end_cleaning(0, false);
  ASSERT_TRUE(table.begin_cleaning(0).begun);
  table.mark_dirty(0);  // written to while on its way
  table.end_cleaning(0, true);
  ASSERT_TRUE(table.begin_cleaning(0).begun);
  table.end_cleaning(0, true);
  EXPECT_EQ(table.take_frame(1, tell), 0u);
}

TEST(PageTable, APageThatIsCleanedAloneIsNobodyElsesMeanwhile) {
  Table memory(2, 1);
  const PageTable table = memory.ref();
  ASSERT_EQ(table.grab(0, 1).answer, Answer::claimed);
  const FrameId frame = table.take_frame(1);
  table.publish(0, frame, 1);
  EXPECT_FALSE(table.begin_lone_cleaning(0).begun) << "it is clean";
  table.mark_dirty(0);
  EXPECT_FALSE(table.begin_lone_cleaning(0).begun) << "a thread uses it";
  table.release(0, 1);
  const PageTable::Cleaning cleaning = table.begin_lone_cleaning(0);
  ASSERT_TRUE(cleaning.begun);
  EXPECT_EQ(cleaning.frame, frame);
  EXPECT_EQ(table.grab(0, 1).answer, Answer::loading);
  EXPECT_EQ(table.take_frame(10), kNoFrame);
  EXPECT_FALSE(table.begin_lone_cleaning(0).begun);
  table.publish(0, cleaning.frame, 0);
  EXPECT_EQ(memory.words[0] & page_word::kDirty, 0u);
  const auto again = table.grab(0, 1);
  EXPECT_EQ(again.answer, Answer::resident);
  EXPECT_EQ(again.frame, frame);
  table.release(0, 1);
  EXPECT_EQ(table.take_frame(10), frame);
}

// Every thread adds to pages of which few fit, so that nearly every addition goes through storage and back.
TEST(PageTable, NoWriteIsLost) {
  constexpr std::size_t kPages = 32;
  constexpr FrameId kFrames = 5;
  constexpr int kThreads = 4;
  constexpr std::uint64_t kAdditions = 10'000;
  Table memory(kPages, kFrames);
  std::vector<std::atomic<std::uint64_t>> frames(kFrames);
  std::vector<std::atomic<std::uint64_t>> storage(kPages);
  const PageTable table = memory.ref();
  const auto clean = [&](PageId page) {
    const auto cleaning = table.begin_cleaning(page);
    if (!cleaning.begun) return;
    storage[page].store(frames[cleaning.frame].load());
    table.end_cleaning(page, true);
  };
  const auto add_to = [&](PageId page) {
    for (;; std::this_thread::yield()) {
      const auto grabbed = table.grab(page, 1);
      if (grabbed.answer == Answer::resident) {
        frames[grabbed.frame].fetch_add(1);
        table.mark_dirty(page);
        table.release(page, 1);
        return;
      }
      if (grabbed.answer != Answer::claimed) continue;
      FrameId frame = kNoFrame;
      while ((frame = table.take_frame(kFrames, clean)) == kNoFrame) std::this_thread::yield();
      frames[frame].store(storage[page].load());
      table.publish(page, frame, 0);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kAdditions; ++i) add_to(splitmix64(t, i, 0) % kPages);
    });
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (PageId page = 0; page < kPages; ++page) {
    clean(page);
    sum += storage[page].load();
  }
  EXPECT_EQ(sum, kThreads * kAdditions);
}

}  // namespace
}  // namespace graphrun::test
