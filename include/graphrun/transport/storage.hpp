// SPDX-License-Identifier: Apache-2.0
// Storage below a cache: completes the commands of queue pairs by a controller in software, or by a device.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/queue_pair.hpp"

namespace graphrun {

/// Most bytes of a command where the storage sets no limit: long ones cost the processor less for each byte.
inline constexpr std::uint32_t kMostCommandBytes = 1 << 20;

/// Memory that a storage fills and empties, in frames of equal size.
struct Frames {
  std::byte* data = nullptr;  ///< frame i begins at i * bytes
  nvme::DataMap map;
  std::uint64_t count = 0;
  std::uint32_t bytes = 0;
  std::uint32_t most_bytes = 0;  ///< that a command moves

  nvme::DataAddress address(std::uint64_t frame) const { return map.at(frame * bytes); }
  /// Returns the frames from this one on that a command may fill, at least 1.
  std::uint32_t most_in_a_row(std::uint64_t frame) const {
    const auto to_chunk_end = static_cast<std::uint32_t>(nvme::DataMap::kChunkBytes - frame * bytes % nvme::DataMap::kChunkBytes);
    return std::min(most_bytes, to_chunk_end) / bytes;
  }
};

/// A storage, with the queue pairs and the frames that commands may name. Any thread may call any member but make_frames().
class Storage {
 public:
  virtual ~Storage() = default;

  /// Returns the queue pairs; none when in_memory() answers.
  virtual std::span<const QueuePair> queues() const = 0;
  /// Returns the bytes at `offset` of the store when a load reaches all of it, for the thread that copies them. Otherwise null.
  virtual const std::byte* in_memory([[maybe_unused]] std::uint64_t offset) const { return nullptr; }
  virtual std::byte* writable_memory([[maybe_unused]] std::uint64_t offset) { return nullptr; }
  /// Returns its units of blocks, which make its commands.
  virtual nvme::Namespace name_space() const = 0;
  /// Makes frames of `bytes`, a power of two, 512 to 64 KiB. Earlier frames end; nothing may be out. Throws UsageError when a
  /// command cannot move this many bytes, RunError when there is too little memory.
  virtual Frames make_frames(std::uint64_t count, std::uint32_t bytes) = 0;
  /// Moves commands on, for threads that wait; returns whether there was anything to do. A device needs none of this.
  virtual bool poll() { return false; }
  /// Sleeps until there may be something to do, `most` at most. A device answers sooner than a thread wakes up.
  virtual void sleep([[maybe_unused]] std::chrono::microseconds most) {}

  /// Returns the page cache's part of a file of the store, where reads may come from there; otherwise null.
  virtual CachedPages* cached_pages([[maybe_unused]] std::uint64_t file) { return nullptr; }
  /// Drops its files from the page cache, where reads may come from there. Nothing may be out.
  virtual void drop_cached() {}
  virtual RouteCounters routed() const { return {}; }  ///< since reset_routed()
  virtual void reset_routed() {}

  // As BlockEngine's.
  virtual std::string description() const = 0;
  virtual bool emulated() const { return false; }
  virtual std::string last_error() { return {}; }
};

/// `depth`: commands that may be out at a time in all queue pairs.
using OpenEngine = std::function<std::unique_ptr<BlockEngine>(std::uint32_t depth)>;

/// Makes storage that a controller in this process serves, through an engine. `queue_depth` is rounded up to a power of two.
std::unique_ptr<Storage> make_software_storage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine);

/// Memory as a part of a store: byte x of stretch i is at i * kFileStride + x of the store.
struct MemoryStretch {
  MemoryStretch(std::span<const std::byte> memory) : bytes(memory) {}  // NOLINT(google-explicit-constructor): it is the memory
  /// Takes memory to which pages may be written back.
  explicit MemoryStretch(std::span<std::byte> memory) : bytes(memory), writable(memory.data()) {}

  std::span<const std::byte> bytes;
  std::byte* writable = nullptr;  ///< where it begins, if it may be written to
};

/// Makes storage of this process's memory, which must outlive it. Without queues: the thread that needs a page copies it, and the
/// thread that needs the frame of a written page copies it back, as warps do over the link (Nazaraliyev et al., GPUVM).
std::unique_ptr<Storage> make_memory_storage(std::vector<MemoryStretch> stretches);

}  // namespace graphrun
