// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "core/raise.hpp"

namespace graphrun::nvme {

std::string status_text(std::uint32_t status) {
  constexpr std::uint32_t kTypeAndCode = 0x7ff;
  struct Meaning {
    std::uint32_t status;
    const char* text;
  };
  static constexpr Meaning kMeanings[] = {{0x000, "success"},
                                          {0x001, "invalid opcode"},
                                          {0x002, "invalid field in a command"},
                                          {0x004, "data transfer error"},
                                          {0x005, "aborted: the power was lost"},
                                          {0x006, "internal error"},
                                          {0x007, "aborted as asked"},
                                          {0x00b, "invalid namespace or format"},
                                          {0x080, "blocks outside of the device"},
                                          {0x081, "capacity exceeded"},
                                          {0x082, "namespace not ready"},
                                          {0x280, "write fault"},
                                          {0x281, "unrecovered read error"},
                                          {0x286, "access denied"},
                                          {0x287, "blocks that were deallocated or never written"}};
  const auto known = std::ranges::find(kMeanings, status & kTypeAndCode, &Meaning::status);
  if (known != std::end(kMeanings)) return known->text;
  return fmt::format("NVMe status of type {}, code {}", status >> 8 & 7, status & 0xff);
}

}  // namespace graphrun::nvme

namespace graphrun {
namespace {

/// Returns an engine's name of a command: the number of the request, the queue, and the command's id.
constexpr std::uint64_t tag_of(std::uint32_t request, std::size_t queue, std::uint16_t id) {
  return std::uint64_t{request} << 32 | static_cast<std::uint64_t>(queue) << 16 | id;
}

constexpr std::size_t kLineBytes = 64;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes; }

/// Layout of a queue pair in the two kinds of memory.
struct PairLayout {
  explicit PairLayout(std::uint32_t depth)
      : completions(round_up(depth * sizeof(nvme::Command))),
        tail_doorbell(completions + round_up(depth * sizeof(nvme::Completion))),
        head_doorbell(tail_doorbell + kLineBytes),
        shared_bytes(head_doorbell + kLineBytes),
        control(round_up(depth * sizeof(QueuePair::Slot))),
        own_bytes(control + round_up(sizeof(QueuePair::Control))) {}

  std::size_t completions, tail_doorbell, head_doorbell, shared_bytes;  // commands come first
  std::size_t control, own_bytes;                                       // slots come first
};

}  // namespace

QueueMemory queue_memory(std::size_t count, std::uint32_t depth) {
  const PairLayout layout(depth);
  return {count * layout.shared_bytes, count * layout.own_bytes};
}

std::vector<QueuePair> make_queue_pairs(std::size_t count, std::uint32_t depth, std::byte* shared, std::byte* own) {
  const PairLayout layout(depth);
  std::vector<QueuePair> pairs;
  for (std::size_t i = 0; i < count; ++i, shared += layout.shared_bytes, own += layout.own_bytes) {
    pairs.push_back({.commands = reinterpret_cast<nvme::Command*>(shared),
                     .completions = reinterpret_cast<nvme::Completion*>(shared + layout.completions),
                     .slots = reinterpret_cast<QueuePair::Slot*>(own),
                     .control = reinterpret_cast<QueuePair::Control*>(own + layout.control),
                     .tail_doorbell = reinterpret_cast<std::uint32_t*>(shared + layout.tail_doorbell),
                     .head_doorbell = reinterpret_cast<std::uint32_t*>(shared + layout.head_doorbell),
                     .depth = depth});
  }
  return pairs;
}

QueuePairs::QueuePairs(std::size_t count, std::uint32_t depth) {
  depth = std::bit_ceil(depth);
  const QueueMemory bytes = queue_memory(count, depth);
  memory_ = Column<std::byte>::allocate(bytes.shared_bytes + bytes.own_bytes);
  pairs_ = make_queue_pairs(count, depth, memory_.data(), memory_.data() + bytes.shared_bytes);
}

std::string BlockRequest::refusal() const {
  return fmt::format("a transfer that the store does not allow, or outside of it, at offset {}", offset);
}

StorageController::StorageController(std::span<const QueuePair> queues, std::unique_ptr<BlockEngine> engine)
    : queues_(queues.begin(), queues.end()), engine_(std::move(engine)), consumers_(queues.size()) {
  for (std::size_t i = 0; i < queues.size(); ++i) consumers_[i].requests.assign(queues[i].depth, 0);
}

bool StorageController::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return true;
  bool busy = false;
  for (std::size_t queue = 0; queue < queues_.size() && take_commands(queue, busy); ++queue) {
  }
  std::array<BlockEngine::Done, 64> outcomes;
  for (std::size_t count = outcomes.size(); count == outcomes.size();) {
    count = engine_->poll(outcomes.data(), outcomes.size());
    for (std::size_t i = 0; i < count; ++i) complete(outcomes[i].tag, outcomes[i].status);
    busy |= count != 0;
  }
  return busy;
}

bool StorageController::take_commands(std::size_t queue, bool& busy) {
  const QueuePair& pair = queues_[queue];
  Consumer& consumer = consumers_[queue];
  const std::uint32_t tail = sync::far::load_acquire(*pair.tail_doorbell);
  for (; consumer.head != tail; consumer.head = (consumer.head + 1) & (2 * pair.depth - 1)) {
    busy = true;
    const nvme::Command& command = pair.commands[consumer.head & (pair.depth - 1)];
    const BlockRequest request{static_cast<nvme::Opcode>(command.opcode), command.first_block * nvme::kBlockBytes,
                               nvme::bytes_of(command), reinterpret_cast<void*>(command.prp1),
                               tag_of(next_request_, queue, command.id)};
    if (!engine_->start(request)) return false;
    consumer.requests[command.id & (pair.depth - 1)] = next_request_;
    if (++next_request_ == 0) ++next_request_;
    if (!request.writes()) commands_read_.fetch_add(1, std::memory_order_relaxed);
    (request.writes() ? bytes_written_ : bytes_read_).fetch_add(request.bytes, std::memory_order_relaxed);
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
  // Makes the entry new; pairs with the acquire in QueuePair::reap.
  sync::far::store_release(entry.word, nvme::completion_word(static_cast<std::uint16_t>(consumer.head & (pair.depth - 1)),
                                                             static_cast<std::uint16_t>(queue), static_cast<std::uint16_t>(tag),
                                                             phase, static_cast<std::uint16_t>(status)));
  ++consumer.completed;
}

void StorageController::check_sectors(std::uint32_t page_bytes) const {
  if (page_bytes >= engine_->sector_bytes()) return;
  raise<UsageError>("pages of {} bytes are smaller than the sectors that {} moves: the smallest page is {}", page_bytes,
                    engine_->description(), engine_->sector_bytes());
}

PagerCounters StorageController::counters() const {
  const std::lock_guard lock(mutex_);
  return {commands_read_, bytes_read_, bytes_written_, engine_->routed() - routed_before_reset_};
}

void StorageController::reset_counters() {
  const std::lock_guard lock(mutex_);
  commands_read_ = bytes_read_ = bytes_written_ = 0;
  routed_before_reset_ = engine_->routed();
}

std::string StorageController::last_error() {
  const std::lock_guard lock(mutex_);
  return engine_->last_error();
}

}  // namespace graphrun
