// SPDX-License-Identifier: Apache-2.0
// Commands of a pager: their way to storage, and their completions.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "graphrun/cache/host_pager.hpp"

namespace graphrun {
namespace {

constexpr std::chrono::microseconds kMostSleep{200};

template <class Id>
std::uint64_t largest_of(const std::byte* memory, std::uint64_t bytes) {
  const auto* ids = reinterpret_cast<const Id*>(memory);
  Id largest = 0;
  for (std::size_t i = 0; i < bytes / sizeof(Id); ++i) largest = std::max(largest, ids[i]);
  return largest;
}

}  // namespace

bool HostPager::post(const Request& request) {
  // Takes the first of the thread's queues that has room.
  const std::size_t workers = std::min<std::size_t>(queues_.size(), static_cast<std::size_t>(std::max(1, options_.workers)));
  std::size_t index = place_of_thread(workers);
  QueuePair::Ticket ticket = 0;
  while (!queues_[index].try_draw_ticket(ticket)) {
    index += workers;
    if (index >= queues_.size()) return false;
  }
  const QueuePair& queue = queues_[index];
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  frames_out_.fetch_add(request.pages, std::memory_order_relaxed);
  unsent_.fetch_add(1, std::memory_order_relaxed);
  states_[index].requests[queue.slot_of(ticket)] = request;
  queue.write(ticket, name_space_.transfer(request.opcode, frames_.address(request.frame), offset_of(request.page),
                                           request.pages * options_.page_bytes));
  wait_to_ring(index, ticket);
  return true;
}

bool HostPager::serve() {
  if (queues_.empty()) return false;
  unsent_.store(0, std::memory_order_relaxed);
  bool busy = storage_->poll();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    busy |= queues_[i].reap([&](std::uint32_t slot, std::uint32_t status) { settle(i, slot, status); }) != 0;
  }
  return busy;
}

void HostPager::send() {
  if (unsent_.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock lock(serving_, std::try_to_lock);
  if (lock.owns_lock()) serve();
}

void HostPager::serve_or_sleep() {
  {
    const std::lock_guard lock(serving_);
    if (serve()) return;
  }
  if (queues_.empty()) return std::this_thread::yield();  // the thread that copies the page may have lost its core
  if (outstanding_.load(std::memory_order_relaxed) != 0) storage_->sleep(kMostSleep);
}

bool HostPager::is_sound(PageId page, FrameId frame) {
  const PagedColumn& column = column_of(page);
  if (column.id_limit == 0) return true;
  const std::uint64_t bytes = bytes_in_store(page);
  const std::uint64_t largest = column.id_bytes == sizeof(std::uint64_t) ? largest_of<std::uint64_t>(frame_data(frame), bytes)
                                                                         : largest_of<std::uint32_t>(frame_data(frame), bytes);
  if (largest < column.id_limit) return true;
  fail(fmt::format(
      "page {} (offset {}) holds vertex {}, and the graph has {} vertices: the bytes that came are not those of the graph ({})",
      page, offset_of(page), largest, column.id_limit, storage_->description()));
  return false;
}

void HostPager::settle(std::size_t queue, std::uint32_t slot, std::uint32_t status) {
  QueueState& state = states_[queue];
  const auto [opcode, first, frame, pages, ahead] = state.requests[slot];
  const bool reads = opcode == nvme::Opcode::read;
  queues_[queue].finish(slot);
  const auto count = [](std::uint64_t& counter, std::uint64_t more) { sync::store_relaxed(counter, counter + more); };
  if (reads) count(state.counters.misses, 1);
  const std::uint64_t bytes = std::uint64_t{pages} * options_.page_bytes;
  count(reads ? state.counters.bytes_read : state.counters.bytes_written, bytes);
  if (ahead) count(state.counters.ahead_bytes, bytes);
  if (status != 0) {
    fail(fmt::format("{} page {} failed ({}): {}", reads ? "reading" : "writing", first, nvme::status_text(status),
                     storage_->last_error()));
  }
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (!reads) {
      table_.end_cleaning(first + i, status == 0);
    } else if (status == 0 && is_sound(first + i, frame + i)) {
      publish(first + i, frame + i, 0, ahead);
    } else {
      table_.abandon(first + i, frame + i);
    }
  }
  frames_out_.fetch_sub(pages, std::memory_order_relaxed);
  outstanding_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace graphrun
