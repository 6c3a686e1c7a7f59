// The memory of queue pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/queue_pair.hpp"

namespace graphrun {

/// Queue pairs have two kinds of memory: what the consumer of the commands reads and writes too (commands, completions,
/// doorbells), and what only the submitters use (slots, control).
struct QueueMemory {
  std::size_t shared_bytes;
  std::size_t own_bytes;
};
/// `depth` is a power of two.
QueueMemory queue_memory(std::size_t count, std::uint32_t depth);
/// The memory must be zeroed, and aligned to 64 bytes.
std::vector<QueuePair> make_queue_pairs(std::size_t count, std::uint32_t depth, std::byte* shared, std::byte* own);

/// Queue pairs of host threads, with their memory.
class QueuePairs {
 public:
  /// `depth` is rounded up to a power of two.
  QueuePairs(std::size_t count, std::uint32_t depth);
  std::size_t size() const { return pairs_.size(); }
  const QueuePair& operator[](std::size_t index) const { return pairs_[index]; }
  operator std::span<const QueuePair>() const { return pairs_; }  // NOLINT(google-explicit-constructor): a view of itself
  /// Back to the state of new queues. Nothing may be outstanding.
  void reset();

 private:
  Column<std::byte> memory_;
  std::vector<QueuePair> pairs_;
};

}  // namespace graphrun
