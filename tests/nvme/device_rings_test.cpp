// SPDX-License-Identifier: Apache-2.0
// Queue pairs whose consumer counts as real devices do: doorbells mod entries, so that a queue of n entries holds n - 1.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/transport/queue_pair.hpp"

namespace graphrun::test {
namespace {

/// What a device has for memory and registers, and the submitters' own part.
struct Memory {
  explicit Memory(std::uint32_t depth) : commands(2 * depth), completions(2 * depth), slots(depth) {
    pair = {.commands = commands.data(),
            .completions = completions.data(),
            .slots = slots.data(),
            .control = &control,
            .tail_doorbell = &tail_doorbell,
            .head_doorbell = &head_doorbell,
            .depth = depth,
            .entries_shift = 1};
  }

  std::vector<nvme::Command> commands;
  std::vector<nvme::Completion> completions;
  std::vector<QueuePair::Slot> slots;
  QueuePair::Control control{};
  alignas(64) std::uint32_t tail_doorbell = 0;
  alignas(64) std::uint32_t head_doorbell = 0;
  QueuePair pair;
};

/// Completes in any order. Keeps the rules of section 4.1: no doorbell may pass the other end, and a completion is posted only
/// where there is room.
class Device {
 public:
  explicit Device(const QueuePair& pair) : pair_(pair) {}

  void step() {
    const std::uint32_t tail = sync::far::load_acquire(*pair_.tail_doorbell);
    if (tail >= pair_.entries()) wrong = true;
    for (; fetched_ % pair_.entries() != tail; ++fetched_) waiting_.push_back(pair_.commands[fetched_ % pair_.entries()]);
    if (waiting_.size() > pair_.depth) wrong = true;
    while (!waiting_.empty() && splitmix64(++draws_) % 3 != 0) complete(splitmix64(++draws_) % waiting_.size());
  }

  bool wrong = false;

 private:
  void complete(std::size_t chosen) {
    const std::uint32_t taken = sync::far::load_acquire(*pair_.head_doorbell);
    if ((posted_ + 1) % pair_.entries() == taken) return;
    const nvme::Command command = waiting_[chosen];
    waiting_[chosen] = waiting_.back();
    waiting_.pop_back();
    *reinterpret_cast<std::uint64_t*>(command.prp1) = splitmix64(command.first_block);
    const bool phase = posted_ / pair_.entries() % 2 == 0;
    sync::far::store_release(pair_.completions[posted_ % pair_.entries()].word,
                             nvme::completion_word(0, 1, command.id, phase, 0));
    ++posted_;
  }

  const QueuePair& pair_;
  std::vector<nvme::Command> waiting_;
  std::uint64_t fetched_ = 0;
  std::uint64_t posted_ = 0;
  std::uint64_t draws_ = 0;
};

class DeviceRings : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(DeviceRings, EveryCommandIsCompletedForWhoAsked) {
  Memory memory(GetParam());
  const QueuePair& queue = memory.pair;
  Device device(queue);
  std::atomic<bool> over{false};
  std::thread device_thread([&] {
    while (!over) {
      device.step();
      std::this_thread::yield();
    }
  });
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kCommands = 1500;
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto help = [&] {
        queue.reap([](std::uint32_t, std::uint32_t) {});
        std::this_thread::yield();
      };
      for (std::uint64_t i = 0; i < kCommands; ++i) {
        const std::uint64_t block = t * kCommands + i;
        std::uint64_t data = 0;
        const QueuePair::Ticket ticket = queue.draw_ticket();
        while (!queue.has_turn(ticket)) help();
        queue.write(ticket, nvme::transfer(nvme::Opcode::read, reinterpret_cast<std::uint64_t>(&data), block, 512));
        while (!queue.ring(ticket)) help();
        while (queue.outcome(ticket) == QueuePair::kPending) help();
        if (queue.outcome(ticket) != QueuePair::kDone || data != splitmix64(block)) ++wrong;
        queue.finish(queue.slot_of(ticket));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  over = true;
  device_thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_FALSE(device.wrong);
}

INSTANTIATE_TEST_SUITE_P(Depths, DeviceRings, ::testing::Values(1, 2, 8, 64),
                         [](const auto& param) { return "depth_" + std::to_string(param.param); });

}  // namespace
}  // namespace graphrun::test
