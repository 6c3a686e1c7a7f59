// Frames in ordinary memory, for storage that host threads complete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

class HostFrames {
 public:
  /// Earlier frames end. Throws RunError when there is too little memory.
  Frames make(std::uint64_t count, std::uint32_t bytes) {
    memory_ = Column<std::byte>::allocate(count * bytes);
    chunks_.clear();
    for (std::size_t at = 0; at < memory_.size(); at += nvme::DataMap::kChunkBytes) {
      chunks_.push_back({reinterpret_cast<std::uint64_t>(memory_.data() + at), 0});
    }
    return {memory_.data(), {chunks_.data()}, count, bytes, std::max(bytes, kMostCommandBytes)};
  }
  std::span<std::byte> memory() { return {memory_.data(), memory_.size()}; }

 private:
  static constexpr std::uint32_t kMostCommandBytes = 128 << 10;
  Column<std::byte> memory_;
  std::vector<nvme::DataAddress> chunks_;
};

}  // namespace graphrun
