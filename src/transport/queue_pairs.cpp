#include "graphrun/transport/queue_pairs.hpp"

#include <algorithm>
#include <bit>

namespace graphrun {
namespace {

constexpr std::size_t kLineBytes = 64;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes; }

/// Where the parts of a queue pair lie in its shares of the two kinds of memory.
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

void QueuePairs::reset() { std::fill(memory_.data(), memory_.data() + memory_.size(), std::byte{0}); }

}  // namespace graphrun
