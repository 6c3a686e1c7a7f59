// Commands and completions as they lie in memory (NVM Express base specification 1.4, sections 4.2 and 4.6; NVM command set,
// section 6.9). Storage controllers of this project and real devices read the same bytes.
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"

namespace graphrun::nvme {

inline constexpr std::uint32_t kBlockBytes = 512;  ///< of a logical block, as our own controllers count them

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

/// An entry of a completion queue. A consumer knows it as new by its phase, which flips with every round of the queue. The
/// second half is read and written as one word, so that a thread that sees the phase has seen it all.
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

/// `bytes` must be a multiple of kBlockBytes. The data must be contiguous for our own controllers.
GR_HD inline Command transfer(Opcode opcode, std::uint64_t address, std::uint64_t first_block, std::uint32_t bytes) {
  Command command{};
  command.opcode = static_cast<std::uint8_t>(opcode);
  command.namespace_id = 1;
  command.prp1 = address;
  command.first_block = first_block;
  command.blocks_less_one = static_cast<std::uint16_t>(bytes / kBlockBytes - 1);
  return command;
}
GR_HD inline std::uint32_t bytes_of(const Command& command) { return (std::uint32_t{command.blocks_less_one} + 1) * kBlockBytes; }

}  // namespace graphrun::nvme
