#include "graphrun/transport/controller.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

/// What an engine knows a command by: the number of the request, the queue, and the command's id.
constexpr std::uint64_t tag_of(std::uint32_t request, std::size_t queue, std::uint16_t id) {
  return std::uint64_t{request} << 32 | static_cast<std::uint64_t>(queue) << 16 | id;
}

}  // namespace

StorageController::StorageController(std::span<const QueuePair> queues, std::unique_ptr<BlockEngine> engine)
    : queues_(queues.begin(), queues.end()), engine_(std::move(engine)), consumers_(queues.size()) {
  for (std::size_t i = 0; i < queues.size(); ++i) consumers_[i].requests.assign(queues[i].depth, 0);
}

bool StorageController::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return true;
  bool busy = false;
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    const Taken taken = take_commands(queue);
    busy |= taken != Taken::none;
    if (taken == Taken::engine_full) break;
  }
  std::array<BlockEngine::Done, 64> outcomes;
  for (std::size_t count = outcomes.size(); count == outcomes.size();) {
    count = engine_->poll(outcomes.data(), outcomes.size());
    for (std::size_t i = 0; i < count; ++i) complete(outcomes[i].tag, outcomes[i].status);
    busy |= count != 0;
  }
  return busy;
}

StorageController::Taken StorageController::take_commands(std::size_t queue) {
  const QueuePair& pair = queues_[queue];
  Consumer& consumer = consumers_[queue];
  const std::uint32_t tail = sync::far::load_acquire(*pair.tail_doorbell);
  if (consumer.head == tail) return Taken::none;
  while (consumer.head != tail) {
    const nvme::Command& command = pair.commands[consumer.head & (pair.depth - 1)];
    const BlockRequest request{static_cast<nvme::Opcode>(command.opcode), command.first_block * nvme::kBlockBytes,
                               nvme::bytes_of(command), reinterpret_cast<void*>(command.prp1),
                               tag_of(next_request_, queue, command.id)};
    if (!engine_->start(request)) return Taken::engine_full;
    consumer.requests[command.id & (pair.depth - 1)] = next_request_;
    if (++next_request_ == 0) ++next_request_;
    consumer.head = (consumer.head + 1) & (2 * pair.depth - 1);
    if (request.opcode == nvme::Opcode::write) {
      bytes_written_.fetch_add(request.bytes, std::memory_order_relaxed);
    } else {
      commands_.fetch_add(1, std::memory_order_relaxed);
      bytes_read_.fetch_add(request.bytes, std::memory_order_relaxed);
    }
  }
  return Taken::some;
}

void StorageController::complete(std::uint64_t tag, nvme::Status status) {
  const auto queue = static_cast<std::size_t>(tag >> 16 & 0xffff);
  const QueuePair& pair = queues_[queue];
  Consumer& consumer = consumers_[queue];
  std::uint32_t& request = consumer.requests[tag & (pair.depth - 1)];
  if (request != static_cast<std::uint32_t>(tag >> 32)) return;  // over already: the storage said it twice
  request = 0;
  nvme::Completion& entry = pair.completions[consumer.completed & (pair.depth - 1)];
  const bool phase = (consumer.completed / pair.depth) % 2 == 0;
  // Makes the entry new; pairs with the acquire in QueuePair::reap.
  sync::far::store_release(entry.word, nvme::completion_word(static_cast<std::uint16_t>(consumer.head & (pair.depth - 1)),
                                                             static_cast<std::uint16_t>(queue), static_cast<std::uint16_t>(tag),
                                                             phase, static_cast<std::uint16_t>(status)));
  ++consumer.completed;
}

void StorageController::reset_counters() {
  bytes_read_.store(0, std::memory_order_relaxed);
  bytes_written_.store(0, std::memory_order_relaxed);
  commands_.store(0, std::memory_order_relaxed);
}

std::string StorageController::last_error() {
  const std::lock_guard lock(mutex_);
  return engine_->last_error();
}

}  // namespace graphrun
