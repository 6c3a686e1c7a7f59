// Commands that move blocks between memory and a store, as real devices take them: in the store's own blocks, with the pages of
// memory listed where there are more than two (NVM Express base specification 1.4, section 4.3: physical region pages).
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/transport/nvme.hpp"

namespace graphrun::nvme {

inline constexpr std::uint32_t kPageBytes = 4096;  ///< of memory, as devices are told to count it

/// Where data begin, as the consumer of the commands addresses them. They are contiguous there.
struct DataAddress {
  std::uint64_t data;
  std::uint64_t list;  ///< of a list of the addresses of the pages behind the one that they begin in; devices read it
};

/// Translates offsets in a stretch of memory. Trivially copyable; the table is its owner's.
struct DataMap {
  static constexpr std::uint32_t kChunkBytes = 2u << 20;  ///< data of one command lie in one chunk, counted from the start

  const DataAddress* chunks = nullptr;  ///< of each chunk's first byte; `list` names all its pages

  GR_HD DataAddress at(std::uint64_t offset) const {
    const DataAddress& chunk = chunks[offset / kChunkBytes];
    const std::uint64_t inside = offset % kChunkBytes;
    return {chunk.data + inside, chunk.list + (inside / kPageBytes + 1) * sizeof(std::uint64_t)};
  }
};

/// How a store counts. Trivially copyable: host and GPU threads make their commands with it.
struct Namespace {
  std::uint32_t id = 1;
  std::uint32_t block_shift = 9;
  std::uint64_t bytes = ~std::uint64_t{0};  ///< of the store: transfers end here at the latest

  GR_HD constexpr std::uint32_t block_bytes() const { return 1u << block_shift; }

  /// `offset`, before the end of the store, and `wanted_bytes` are multiples of block_bytes().
  GR_HD Command transfer(Opcode opcode, const DataAddress& address, std::uint64_t offset, std::uint32_t wanted_bytes) const {
    const std::uint64_t left = bytes - offset;
    const std::uint32_t moved = left < wanted_bytes ? static_cast<std::uint32_t>(left) : wanted_bytes;
    const auto in_first_page = static_cast<std::uint32_t>(kPageBytes - address.data % kPageBytes);
    Command command{};
    command.opcode = static_cast<std::uint8_t>(opcode);
    command.namespace_id = id;
    command.prp1 = address.data;
    if (moved > in_first_page + kPageBytes) {
      command.prp2 = address.list;
    } else if (moved > in_first_page) {
      command.prp2 = address.data + in_first_page;
    }
    command.first_block = offset >> block_shift;
    command.blocks_less_one = static_cast<std::uint16_t>((moved >> block_shift) - 1);
    return command;
  }
};

}  // namespace graphrun::nvme
