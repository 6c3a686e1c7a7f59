// Pages against the sectors of disks.
#pragma once

#include <cstdint>

#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// The least that direct I/O on an open file moves, and what its offsets are multiples of; 512 where the kernel does not say.
std::uint32_t sector_bytes_of(int fd);

/// Throws UsageError, naming the smallest page, when the engine cannot move pages of so few bytes.
void check_sectors(const BlockEngine& engine, std::uint32_t page_bytes);

}  // namespace graphrun
