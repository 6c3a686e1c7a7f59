// SPDX-License-Identifier: Apache-2.0
// Commands, completions and lists of pages in memory (NVM Express base specification 1.4, sections 4.2, 4.3 and 4.6; NVM command
// set, section 6.9), for real devices and the controllers of this project.
#pragma once

#include <cstdint>
#include <string>

#include "graphrun/core/macros.hpp"

namespace graphrun::nvme {

inline constexpr std::uint32_t kBlockShift = 9;  ///< of a logical block, as our own controllers count them
inline constexpr std::uint32_t kBlockBytes = 1u << kBlockShift;

enum class Opcode : std::uint8_t { write = 1, read = 2 };

/// An entry of a submission queue.
struct alignas(64) Command {
  std::uint8_t opcode;
  std::uint8_t flags;
  std::uint16_t id;
  std::uint32_t namespace_id;
  std::uint64_t reserved;
  std::uint64_t metadata;
  std::uint64_t prp1;  ///< address of the data
  std::uint64_t prp2;  ///< of its second page, or of a list of the others
  std::uint64_t first_block;
  std::uint16_t blocks_less_one;
  std::uint16_t control;
  std::uint32_t dataset;
  std::uint32_t reference_tag;
  std::uint32_t application_tag;
};
static_assert(sizeof(Command) == 64);

/// An entry of a completion queue, new by its phase, which flips with every round. The second half is one atomic word, so that a
/// thread that sees the phase has seen it all.
struct alignas(16) Completion {
  std::uint32_t result;
  std::uint32_t reserved;
  std::uint64_t word;  ///< bits 0..15 head of the submission queue, 16..31 its number, 32..47 command id, 48 phase, 49.. status
};
static_assert(sizeof(Completion) == 16);

GR_HD constexpr std::uint64_t completion_word(std::uint16_t head, std::uint16_t queue, std::uint16_t command_id, bool phase,
                                              std::uint16_t status) {
  return std::uint64_t{head} | std::uint64_t{queue} << 16 | std::uint64_t{command_id} << 32 | std::uint64_t{phase} << 48 |
         std::uint64_t{status} << 49;
}
GR_HD constexpr std::uint16_t command_id_of(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 32); }
GR_HD constexpr bool phase_of(std::uint64_t word) { return (word >> 48 & 1) != 0; }
GR_HD constexpr std::uint16_t status_of(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 49); }

enum class Status : std::uint16_t {
  success = 0,
  internal_error = 0x06,
  out_of_range = 0x80,
  write_fault = 0x280,
  unrecovered_read_error = 0x281
};

/// Describes the status of a failed command (section 4.6.1): "unrecovered read error", or type and code in decimal.
std::string status_text(std::uint32_t status);

/// Returns a command for `bytes`, a multiple of a block's. The data must be contiguous for our own controllers.
GR_HD inline Command transfer(Opcode opcode, std::uint64_t address, std::uint64_t first_block, std::uint32_t bytes,
                              std::uint32_t block_shift = kBlockShift) {
  Command command{};
  command.opcode = static_cast<std::uint8_t>(opcode);
  command.namespace_id = 1;
  command.prp1 = address;
  command.first_block = first_block;
  command.blocks_less_one = static_cast<std::uint16_t>((bytes >> block_shift) - 1);
  return command;
}
GR_HD inline std::uint32_t bytes_of(const Command& command) { return (std::uint32_t{command.blocks_less_one} + 1) * kBlockBytes; }

inline constexpr std::uint32_t kPageBytes = 4096;  ///< of memory, as devices count it

/// Address of data for the consumer of the commands. They are contiguous there.
struct DataAddress {
  std::uint64_t data;
  std::uint64_t list;  ///< of a list of the addresses of the pages after the first one; devices read it
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

/// Units of a store. Trivially copyable: host and GPU threads make their commands with it.
struct Namespace {
  std::uint32_t id = 1;
  std::uint32_t block_shift = kBlockShift;
  std::uint64_t bytes = ~std::uint64_t{0};  ///< of the store: transfers end here at the latest

  GR_HD constexpr std::uint32_t block_bytes() const { return 1u << block_shift; }

  /// Returns a command; `offset`, before the end of the store, and `wanted_bytes` are multiples of block_bytes().
  GR_HD Command transfer(Opcode opcode, const DataAddress& address, std::uint64_t offset, std::uint32_t wanted_bytes) const {
    const std::uint64_t left = bytes - offset;
    const std::uint32_t moved = left < wanted_bytes ? static_cast<std::uint32_t>(left) : wanted_bytes;
    const auto in_first_page = static_cast<std::uint32_t>(kPageBytes - address.data % kPageBytes);
    Command command = nvme::transfer(opcode, address.data, offset >> block_shift, moved, block_shift);
    command.namespace_id = id;
    if (moved > in_first_page + kPageBytes) {
      command.prp2 = address.list;
    } else if (moved > in_first_page) {
      command.prp2 = address.data + in_first_page;
    }
    return command;
  }
};

}  // namespace graphrun::nvme
