// Storage that is memory of this process: nobody completes anything, whoever needs a page copies it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "graphrun/transport/storage.hpp"

namespace graphrun {

/// A store to read from. Byte x of stretch i is at i * kFileStride + x of the store. The memory must outlive it. On the CPU this
/// is what a warp that copies its page over the link is on a GPU (Nazaraliyev et al., GPUVM): no third party, no queues.
std::unique_ptr<Storage> make_memory_storage(std::vector<std::span<const std::byte>> stretches);

}  // namespace graphrun
