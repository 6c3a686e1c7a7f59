// SPDX-License-Identifier: Apache-2.0
// Engines that put pages into device memory themselves, for pagers whose commands name frames (Delivery::frames).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::cuda {

/// Wraps an engine of host memory with copies in batches between there and the device. Requests are of at most `most_bytes`.
/// Throws RunError.
std::unique_ptr<BlockEngine> open_copying_engine(std::unique_ptr<BlockEngine> inner, std::uint32_t depth,
                                                 std::uint32_t most_bytes);

/// Opens an engine of host memory that the device reaches.
std::unique_ptr<BlockEngine> open_memory_engine(std::vector<MemoryStretch> stretches, std::uint32_t depth);

/// Returns "" when GPUDirect Storage's library can be used; otherwise a sentence.
std::string why_no_cufile();
/// Opens files through cuFile, by threads that each wait for a transfer. Throws UnavailableError, DataError.
std::unique_ptr<BlockEngine> open_cufile_engine(const std::vector<StoreFile>& files, std::uint32_t depth);

}  // namespace graphrun::cuda
