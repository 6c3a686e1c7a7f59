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

/// The memory must outlive it. There are no queues and no completions: the thread that needs a page copies it, and the thread
/// that needs the frame of a written page copies that page back. On a GPU a warp copies its page over the link in the same way
/// (Nazaraliyev et al., GPUVM).
std::unique_ptr<Storage> make_memory_storage(std::vector<MemoryStretch> stretches);

}  // namespace graphrun
