#include "graphrun/transport/controller.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kLineBytes = 64;

/// What an engine knows a command by: the number of the request, the queue, and the command's id.
constexpr std::uint64_t tag_of(std::uint32_t request, std::size_t queue, std::uint16_t id) {
  return std::uint64_t{request} << 32 | static_cast<std::uint64_t>(queue) << 16 | id;
}

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes; }

/// Where the parts of a queue pair lie in its memory.
struct PairLayout {
  explicit PairLayout(std::uint32_t depth)
      : commands(0),
        completions(commands + round_up(depth * sizeof(nvme::Command))),
        slots(completions + round_up(depth * sizeof(nvme::Completion))),
        control(slots + round_up(depth * sizeof(QueuePair::Slot))),
        tail_doorbell(control + round_up(sizeof(QueuePair::Control))),
        head_doorbell(tail_doorbell + kLineBytes),
        bytes(head_doorbell + kLineBytes) {}

  std::size_t commands, completions, slots, control, tail_doorbell, head_doorbell, bytes;
};

}  // namespace

QueuePairs::QueuePairs(std::size_t count, std::uint32_t depth) {
  depth = std::bit_ceil(depth);
  const PairLayout layout(depth);
  memory_ = Column<std::byte>::allocate(count * layout.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* base = memory_.data() + i * layout.bytes;
    pairs_.push_back({.commands = reinterpret_cast<nvme::Command*>(base + layout.commands),
                      .completions = reinterpret_cast<nvme::Completion*>(base + layout.completions),
                      .slots = reinterpret_cast<QueuePair::Slot*>(base + layout.slots),
                      .control = reinterpret_cast<QueuePair::Control*>(base + layout.control),
                      .tail_doorbell = reinterpret_cast<std::uint32_t*>(base + layout.tail_doorbell),
                      .head_doorbell = reinterpret_cast<std::uint32_t*>(base + layout.head_doorbell),
                      .depth = depth});
  }
}

void QueuePairs::reset() { std::fill(memory_.data(), memory_.data() + memory_.size(), std::byte{0}); }

StorageController::StorageController(QueuePairs& queues, std::unique_ptr<BlockEngine> engine)
    : queues_(queues), engine_(std::move(engine)), consumers_(queues.size()) {
  for (std::size_t i = 0; i < queues.size(); ++i) consumers_[i].requests.assign(queues[i].depth, 0);
}

void StorageController::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    if (!take_commands(queue)) break;  // the engine is full
  }
  std::array<BlockEngine::Done, 64> outcomes;
  for (std::size_t count = outcomes.size(); count == outcomes.size();) {
    count = engine_->poll(outcomes.data(), outcomes.size());
    for (std::size_t i = 0; i < count; ++i) complete(outcomes[i].tag, outcomes[i].status);
  }
}

bool StorageController::take_commands(std::size_t queue) {
  const QueuePair& pair = queues_[queue];
  Consumer& consumer = consumers_[queue];
  const std::uint32_t tail = sync::load_acquire(*pair.tail_doorbell);
  while (consumer.head != tail) {
    const nvme::Command& command = pair.commands[consumer.head & (pair.depth - 1)];
    const BlockRequest request{static_cast<nvme::Opcode>(command.opcode), command.first_block * nvme::kBlockBytes,
                               nvme::bytes_of(command), reinterpret_cast<void*>(command.prp1),
                               tag_of(next_request_, queue, command.id)};
    if (!engine_->start(request)) return false;
    consumer.requests[command.id & (pair.depth - 1)] = next_request_;
    if (++next_request_ == 0) ++next_request_;
    consumer.head = (consumer.head + 1) & (2 * pair.depth - 1);
    commands_.fetch_add(1, std::memory_order_relaxed);
    bytes_read_.fetch_add(request.bytes, std::memory_order_relaxed);
  }
  return true;
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
  entry.submission_head = static_cast<std::uint16_t>(consumer.head & (pair.depth - 1));
  entry.submission_queue = static_cast<std::uint16_t>(queue);
  entry.command_id = static_cast<std::uint16_t>(tag);
  // Last, because it makes the entry new; pairs with the acquire in QueuePair::reap.
  sync::store_release(entry.phase_and_status,
                      static_cast<std::uint16_t>(static_cast<std::uint16_t>(status) << 1 | (phase ? 1 : 0)));
  ++consumer.completed;
}

void StorageController::reset_counters() {
  bytes_read_.store(0, std::memory_order_relaxed);
  commands_.store(0, std::memory_order_relaxed);
}

std::string StorageController::last_error() {
  const std::lock_guard lock(mutex_);
  return engine_->last_error();
}

}  // namespace graphrun
