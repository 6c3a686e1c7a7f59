// SPDX-License-Identifier: Apache-2.0

#include "route_suite/replay.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "core/raise.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::bench {
namespace {

constexpr double kDeadlineMs = 20'000;

/// A buffer and the request that it is for.
struct Slot {
  std::byte* data = nullptr;
  Request request{0, 0};
  std::uint32_t started = 0;  ///< bytes
  std::uint32_t out = 0;      ///< commands
};

std::size_t bytes_of_slot(const Pace& pace) {
  return (pace.most_bytes + cache_page_bytes() - 1) / cache_page_bytes() * cache_page_bytes();
}

double processor_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

}  // namespace

Column<std::byte> memory_of(const Pace& pace) {
  auto memory = Column<std::byte>::allocate(bytes_of_slot(pace) * pace.depth);
  std::memset(memory.data(), 0, memory.size());
  return memory;
}

Replayed replay(BlockEngine& engine, Column<std::byte>& memory, const Pace& pace, const Requests& requests,
                const std::function<void(const Request&, const std::byte*)>& on_done) {
  std::vector<Slot> slots(pace.depth);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i].data = memory.data() + i * bytes_of_slot(pace);
  std::vector<std::uint32_t> free_slots(slots.size());
  std::iota(free_slots.rbegin(), free_slots.rend(), 0u);
  std::vector<BlockEngine::Done> outcomes(pace.depth);
  std::vector<std::uint32_t> started;  // slots with commands to start
  Replayed replayed;
  std::uint64_t bytes = 0;
  bool is_over = false;
  const double processor_before = processor_ms();
  const Timer timer;
  double last_ms = 0;  // when one ended
  const auto start_commands = [&](Slot& slot) {
    while (slot.started < slot.request.bytes) {
      const std::uint32_t length = std::min(kMostCommandBytes, slot.request.bytes - slot.started);
      const auto tag = static_cast<std::uint64_t>(&slot - slots.data());
      if (!engine.start({nvme::Opcode::read, slot.request.offset + slot.started, length, slot.data + slot.started, tag}))
        return false;
      slot.started += length;
      ++slot.out;
    }
    return true;
  };
  while (!is_over || free_slots.size() < slots.size()) {
    while (!is_over && !free_slots.empty() && started.empty()) {
      const std::optional<Request> next = timer.elapsed_ms() < pace.most_ms ? requests(replayed.requests) : std::nullopt;
      is_over = !next;
      if (is_over) break;
      Slot& slot = slots[free_slots.back()];
      slot.request = *next;
      slot.started = 0;
      if (!start_commands(slot)) started.push_back(free_slots.back());
      free_slots.pop_back();
      ++replayed.requests;
    }
    while (!started.empty() && start_commands(slots[started.back()])) started.pop_back();
    const std::size_t ended = engine.poll(outcomes.data(), outcomes.size());
    for (std::size_t i = 0; i < ended; ++i) {
      if (outcomes[i].status != nvme::Status::success) raise<DataError>("timing reads: {}", engine.last_error());
      const auto index = static_cast<std::uint32_t>(outcomes[i].tag);
      Slot& slot = slots[index];
      if (--slot.out != 0 || slot.started < slot.request.bytes) continue;
      bytes += slot.request.bytes;
      if (on_done) on_done(slot.request, slot.data);
      free_slots.push_back(index);
    }
    if (ended != 0) {
      last_ms = timer.elapsed_ms();
    } else if (free_slots.size() < slots.size()) {
      engine.sleep(std::chrono::milliseconds(1));
      if (timer.elapsed_ms() - last_ms > kDeadlineMs) throw DataError("timing reads: the disk did not end one within 20 s");
    }
  }
  const double ms = timer.elapsed_ms();
  replayed.bytes_per_second = static_cast<double>(bytes) / ms * 1e3;
  const double processor = processor_ms() - processor_before;
  replayed.processors = processor / ms;
  replayed.processor_us = processor * 1e3 / static_cast<double>(std::max<std::uint64_t>(replayed.requests, 1));
  for (const Slot& slot : slots) {
    if (slot.request.bytes != 0) replayed.last.emplace_back(slot.request, slot.data);
  }
  return replayed;
}

}  // namespace graphrun::bench
