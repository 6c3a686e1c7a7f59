// Storage that is memory of this process.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "graphrun/transport/storage.hpp"

namespace graphrun {

/// Memory as a part of a store: byte x of stretch i is at i * kFileStride + x of the store.
struct MemoryStretch {
  MemoryStretch(std::span<const std::byte> memory) : bytes(memory) {}  // NOLINT(google-explicit-constructor): it is the memory
  /// Pages may be written back to it.
  explicit MemoryStretch(std::span<std::byte> memory) : bytes(memory), writable(memory.data()) {}

  std::span<const std::byte> bytes;
  std::byte* writable = nullptr;  ///< where it begins, if it may be written to
};

/// The memory must outlive it. Nobody completes anything: whoever needs a page copies it, and whoever needs the frame of a
/// written one copies that back. On the CPU this is what a warp that copies its page over the link is on a GPU (Nazaraliyev et
/// al., GPUVM): no third party, no queues.
std::unique_ptr<Storage> make_memory_storage(std::vector<MemoryStretch> stretches);

}  // namespace graphrun
