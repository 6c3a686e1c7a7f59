// Registers, administration commands and data structures of NVMe controllers (NVM Express base specification 1.4, sections 3,
// 5 and 8; figures as numbered there). Commands and completions of I/O are in graphrun/transport/nvme.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace graphrun::nvme {

/// Offsets in base address register 0.
namespace reg {
inline constexpr std::size_t kCapabilities = 0x00;   // CAP, 64 bits
inline constexpr std::size_t kInterruptMask = 0x0c;  // INTMS
inline constexpr std::size_t kConfiguration = 0x14;  // CC
inline constexpr std::size_t kStatus = 0x1c;         // CSTS
inline constexpr std::size_t kAdminSizes = 0x24;     // AQA
inline constexpr std::size_t kAdminCommands = 0x28;  // ASQ, 64 bits
inline constexpr std::size_t kAdminOutcomes = 0x30;  // ACQ, 64 bits
inline constexpr std::size_t kDoorbells = 0x1000;
}  // namespace reg

/// CAP.
struct Capabilities {
  std::uint64_t word;
  std::uint32_t most_queue_entries() const { return static_cast<std::uint32_t>(word & 0xffff) + 1; }
  std::uint32_t timeout_ms() const { return static_cast<std::uint32_t>(word >> 24 & 0xff) * 500; }
  std::uint32_t doorbell_stride() const { return 4u << (word >> 32 & 0xf); }
  bool has_nvm_commands() const { return (word >> 37 & 1) != 0; }
  std::uint32_t least_page_bytes() const { return 4096u << (word >> 48 & 0xf); }
};

/// CC.
inline constexpr std::uint32_t kEnable = 1;
inline constexpr std::uint32_t kShutdownMask = 3u << 14;
inline constexpr std::uint32_t kShutdownNormal = 1u << 14;
/// 64-byte commands, 16-byte completions, pages of 4 KiB, round robin, NVM command set.
inline constexpr std::uint32_t kEntriesAndPages = 6u << 16 | 4u << 20;

/// CSTS.
inline constexpr std::uint32_t kReady = 1;
inline constexpr std::uint32_t kFatal = 2;
inline constexpr std::uint32_t kShutdownStatusMask = 3u << 2;
inline constexpr std::uint32_t kShutdownComplete = 2u << 2;
inline constexpr std::uint32_t kGone = ~0u;  ///< what register reads return when the device is gone

enum class AdminOpcode : std::uint8_t {
  delete_submission_queue = 0x00,
  create_submission_queue = 0x01,
  delete_completion_queue = 0x04,
  create_completion_queue = 0x05,
  identify = 0x06,
  set_features = 0x09,
};
inline constexpr std::uint32_t kNumberOfQueues = 7;     ///< feature
inline constexpr std::uint32_t kContiguous = 1;         ///< of queues
inline constexpr std::uint32_t kIdentifyNamespace = 0;  ///< what to identify
inline constexpr std::uint32_t kIdentifyController = 1;
inline constexpr std::uint32_t kIdentifyActive = 2;

/// As long as an entry of a submission queue, which has the same head.
struct alignas(64) AdminCommand {
  AdminOpcode opcode;
  std::uint8_t flags;
  std::uint16_t id;
  std::uint32_t namespace_id;
  std::uint64_t reserved;
  std::uint64_t metadata;
  std::uint64_t prp1;
  std::uint64_t prp2;
  std::uint32_t dword10;
  std::uint32_t dword11;
  std::array<std::uint32_t, 4> dwords12;
};
static_assert(sizeof(AdminCommand) == 64);

/// What Identify Controller tells (figure 247).
struct ControllerIdentity {
  std::uint16_t vendor[2];
  char serial[20];
  char model[40];
  char firmware[8];
  std::uint8_t before_limit[5];
  std::uint8_t most_transfer_shift;  ///< MDTS: most bytes of a command are this shift of the smallest page; 0: no limit
  std::uint8_t rest[4096 - 78];
};
static_assert(sizeof(ControllerIdentity) == 4096);

/// What Identify Namespace tells (figure 245).
struct NamespaceIdentity {
  struct Format {
    std::uint16_t metadata_bytes;
    std::uint8_t block_shift;
    std::uint8_t performance;
  };
  std::uint64_t blocks;
  std::uint64_t capacity;
  std::uint64_t used;
  std::uint8_t features;
  std::uint8_t formats_less_one;
  std::uint8_t format;  ///< bits 0..3, and above them 5..6: which one is in use
  std::uint8_t before_formats[128 - 27];
  Format formats[64];
  std::uint8_t rest[4096 - 384];

  const Format& format_in_use() const { return formats[(format & 0xf) | (format >> 5 & 3) << 4]; }
};
static_assert(sizeof(NamespaceIdentity) == 4096);

}  // namespace graphrun::nvme
