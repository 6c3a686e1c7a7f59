// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/queue_pair.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::test {
namespace {

/// Completes commands at once or later, in any order: what it "reads" is a hash of the first block.
class HashEngine final : public BlockEngine {
 public:
  std::string description() const override { return "hashes"; }
  bool emulated() const override { return true; }
  std::string last_error() const override { return ""; }
  bool start(const BlockRequest& request) override {
    if (waiting_.size() == kMost) return false;
    waiting_.push_back(request);
    return true;
  }
  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = 0;
    while (count < most && !waiting_.empty() && splitmix64(++draws_) % 3 != 0) {
      const std::size_t chosen = splitmix64(++draws_) % waiting_.size();
      const BlockRequest request = waiting_[chosen];
      waiting_[chosen] = waiting_.back();
      waiting_.pop_back();
      *static_cast<std::uint64_t*>(request.data) = splitmix64(request.offset / nvme::kBlockBytes);
      outcomes[count++] = {
          request.tag, request.offset == kBadBlock * nvme::kBlockBytes ? nvme::Status::internal_error : nvme::Status::success};
    }
    return count;
  }
  static constexpr std::uint64_t kBadBlock = 13;

 private:
  static constexpr std::size_t kMost = 5;
  std::vector<BlockRequest> waiting_;
  std::uint64_t draws_ = 0;
};

/// Runs one command and returns its status.
std::uint32_t run_command(const QueuePair& queue, StorageController& controller, std::uint64_t block, std::uint64_t* data) {
  const QueuePair::Ticket ticket = queue.draw_ticket();
  const auto help = [&] {
    controller.poll();
    queue.reap([](std::uint32_t, std::uint32_t) {});
    std::this_thread::yield();
  };
  while (!queue.has_turn(ticket)) help();
  queue.write(ticket, nvme::transfer(nvme::Opcode::read, reinterpret_cast<std::uint64_t>(data), block, 512));
  while (!queue.ring(ticket)) help();
  std::uint32_t outcome = QueuePair::kPending;
  while ((outcome = queue.outcome(ticket)) == QueuePair::kPending) help();
  queue.finish(queue.slot_of(ticket));
  return outcome - QueuePair::kDone;
}

struct Load {
  std::size_t pairs;
  std::uint32_t depth;
  int threads;
};

class QueuePairLoad : public ::testing::TestWithParam<Load> {};

// More threads than slots, a controller that takes few commands at a time and completes them out of order: every command is
// carried out once, for the one who asked, over many rounds of the queue.
TEST_P(QueuePairLoad, EveryCommandIsCompletedForWhoAsked) {
  const Load load = GetParam();
  QueuePairs queues(load.pairs, load.depth);
  StorageController controller(queues, std::make_unique<HashEngine>());
  constexpr std::uint64_t kCommands = 1000;
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < load.threads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kCommands; ++i) {
        const std::uint64_t block = 100 + i * 64 + static_cast<std::uint64_t>(t);
        std::uint64_t data = 0;
        const auto& queue = queues[(static_cast<std::size_t>(t) + i) % queues.size()];
        if (run_command(queue, controller, block, &data) != 0 || data != splitmix64(block)) wrong.fetch_add(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(controller.counters().misses, kCommands * static_cast<std::uint64_t>(load.threads));
  EXPECT_EQ(controller.counters().bytes_read, 512 * controller.counters().misses);
}

INSTANTIATE_TEST_SUITE_P(Loads, QueuePairLoad,
                         ::testing::Values(Load{1, 1, 1}, Load{1, 1, 3}, Load{1, 4, 4}, Load{2, 2, 4}, Load{1, 64, 4}),
                         [](const auto& load) {
                           return std::to_string(load.param.pairs) + "_pairs_of_" + std::to_string(load.param.depth) + "_for_" +
                                  std::to_string(load.param.threads) + "_threads";
                         });

TEST(QueuePair, StatusesReachTheirCommand) {
  QueuePairs queues(1, 2);
  StorageController controller(queues, std::make_unique<HashEngine>());
  std::uint64_t data = 0;
  EXPECT_EQ(run_command(queues[0], controller, HashEngine::kBadBlock, &data),
            static_cast<std::uint32_t>(nvme::Status::internal_error));
  EXPECT_EQ(run_command(queues[0], controller, 14, &data), 0u);
}

TEST(QueuePair, OneDoorbellForSeveralCommands) {
  QueuePairs queues(1, 8);
  const QueuePair& queue = queues[0];
  std::uint64_t data[4] = {};
  QueuePair::Ticket tickets[4];
  for (auto& ticket : tickets) ticket = queue.draw_ticket();
  for (int i = 3; i >= 0; --i) {  // the first is written last: until then the tail cannot move
    queue.write(tickets[i], nvme::transfer(nvme::Opcode::read, reinterpret_cast<std::uint64_t>(&data[i]), 1, 512));
    EXPECT_EQ(queue.ring(tickets[3]), i == 0);
    EXPECT_EQ(*queue.tail_doorbell, i == 0 ? 4u : 0u);
  }
  for (const auto ticket : tickets) EXPECT_TRUE(queue.ring(ticket));
}

TEST(QueuePair, ADoorbellWaitsForItsBatchUnlessItIsToldNotTo) {
  QueuePairs queues(1, 8);
  const QueuePair& queue = queues[0];
  std::uint64_t data[8] = {};
  const auto write = [&] {
    const QueuePair::Ticket ticket = queue.draw_ticket();
    queue.write(ticket, nvme::transfer(nvme::Opcode::read, reinterpret_cast<std::uint64_t>(&data[ticket]), 1, 512));
    return ticket;
  };
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(queue.ring(write(), 4), i == 3);
  EXPECT_EQ(*queue.tail_doorbell, 4u);
  EXPECT_EQ(queue.control->doorbells, 1u);
  const QueuePair::Ticket fifth = write();
  EXPECT_FALSE(queue.ring(fifth, 4));
  EXPECT_TRUE(queue.ring(fifth));  // its waiter has lost patience
  EXPECT_EQ(*queue.tail_doorbell, 5u);
  for (std::uint32_t i = 5; i < 8; ++i) EXPECT_EQ(queue.ring(write(), 4), i == 7);  // batches end at multiples
  EXPECT_EQ(queue.control->doorbells, 3u);
}

TEST(QueuePair, CommandsLieInMemoryAsTheSpecificationSays) {
  const nvme::Command command = nvme::transfer(nvme::Opcode::read, 0x1122334455667788, 0x99aabbccddeeff00, 4096);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&command);
  EXPECT_EQ(bytes[0], 2);      // opcode
  EXPECT_EQ(bytes[4], 1);      // namespace
  EXPECT_EQ(bytes[24], 0x88);  // PRP 1
  EXPECT_EQ(bytes[31], 0x11);
  EXPECT_EQ(bytes[40], 0x00);  // starting block
  EXPECT_EQ(bytes[47], 0x99);
  EXPECT_EQ(bytes[48], 7);  // blocks, less one
}

}  // namespace
}  // namespace graphrun::test
