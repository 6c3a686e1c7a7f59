// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/held_memory.hpp"

#include <algorithm>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;  ///< of the driver's allocations
constexpr std::uint64_t kMostPiece = std::uint64_t{256} << 20;

}  // namespace

void HeldMemory::leave_free(std::uint64_t bytes) {
  while (!pieces_.empty() && free_device_bytes() < bytes) pieces_.pop_back();
  const std::uint64_t free_now = free_device_bytes();
  if (free_now < bytes)
    raise<UnavailableError>("{} of device memory are free, and --gpu-memory asks for {}: others may have taken some",
                            format_bytes(free_now), format_bytes(bytes));
  for (std::uint64_t left = (free_now - bytes) / kGranule * kGranule; left != 0;) {
    const std::uint64_t piece = std::min(left, kMostPiece);
    pieces_.push_back(EdgeMemory::uninitialised(piece));
    left -= piece;
  }
}

std::uint64_t HeldMemory::bytes() const {
  std::uint64_t all = 0;
  for (const EdgeMemory& piece : pieces_) all += piece.bytes();
  return all;
}

}  // namespace graphrun::cuda::inline GR_IDS
