// SPDX-License-Identifier: Apache-2.0
// The controller of an NVMe device, run from user space: started, asked what it is, given queues, and stopped. Its registers and
// administration commands are those of the NVM Express base specification 1.4, sections 3, 5 and 8; figures as numbered there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graphrun/transport/queue_pair.hpp"
#include "transport/nvme/vfio.hpp"

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
  std::chrono::milliseconds timeout() const {
    return std::chrono::milliseconds(500) * std::max(static_cast<int>(word >> 24 & 0xff), 1);
  }
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
  std::uint8_t flags = 0;
  std::uint16_t id = 0;
  std::uint32_t namespace_id = 0;
  std::uint64_t reserved = 0;
  std::uint64_t metadata = 0;
  std::uint64_t prp1 = 0;
  std::uint64_t prp2 = 0;
  std::uint32_t dword10 = 0;
  std::uint32_t dword11 = 0;
  std::uint32_t dwords12[4] = {};
};
static_assert(sizeof(AdminCommand) == 64);

/// Offsets in the data of Identify Controller (figure 247).
inline constexpr std::size_t kModelAt = 24;
inline constexpr std::size_t kModelBytes = 40;
inline constexpr std::size_t kTransferShiftAt = 77;  ///< MDTS: log2 of a command's most pages of the smallest size; 0: no limit

/// Offsets in the data of Identify Namespace (figure 245). A format is the bytes of metadata in 16 bits, and the shift of a block
/// in 8.
inline constexpr std::size_t kBlocksAt = 0;        ///< 64 bits
inline constexpr std::size_t kFormatInUseAt = 26;  ///< bits 0..3, and above them 5..6: which one is in use
inline constexpr std::size_t kFormatsAt = 128;
inline constexpr std::size_t kFormatBytes = 4;

/// A namespace as its controller describes it.
struct NamespaceFacts {
  std::uint32_t id;
  std::uint32_t block_shift;
  std::uint64_t blocks;
};

/// A controller, for one thread. Every wait has a deadline, past which it throws a RunError.
class NvmeController {
 public:
  /// Stops the controller if its last driver left it running, and starts it with an administration queue. `device` must outlive
  /// it. Throws UnavailableError when this driver cannot run the device.
  NvmeController(VfioDevice& device, std::string address);
  /// Deletes its queues, shuts down and disables: from here on the device touches no memory.
  ~NvmeController();

  const std::string& model() const { return model_; }
  /// Returns the most bytes of a command; 0: no limit.
  std::uint64_t most_transfer_bytes() const { return most_transfer_bytes_; }
  std::uint32_t most_queue_entries() const { return capabilities_.most_queue_entries(); }

  /// Returns the first namespace that is active.
  NamespaceFacts identify_namespace();
  /// Asks for this many queue pairs. Returns how many there will be, at least 1. Once, before the first is created.
  std::size_t request_queues(std::size_t wanted);
  /// Makes the device the consumer of a queue pair whose commands and completions lie at these bus addresses, and sets its
  /// doorbells. Pairs get the numbers 1, 2, ...
  void create_queue_pair(QueuePair& pair, std::uint64_t commands_address, std::uint64_t completions_address);

  /// Describes the device's state, when something has failed.
  std::string state() const;

 private:
  template <class T>
  T get(std::size_t at) const;
  template <class T>
  void set(std::size_t at, T value) const;
  std::uint32_t* doorbell(std::size_t index) const;

  void check_capabilities() const;
  void start();
  void disable();
  void disable_or_warn() noexcept;  ///< before memory goes that the device would use
  void shut_down();
  void identify_controller();

  /// Waits for is_done(). Throws RunError naming `what`.
  void wait_for(const std::string& what, std::chrono::milliseconds limit, const std::function<bool()>& is_done) const;
  /// Carries out an administration command and returns its result. Throws RunError naming `what`.
  std::uint32_t run(AdminCommand command, const std::string& what);
  /// Returns the page that an Identify command filled in, until the next one.
  const std::byte* identify(std::uint32_t kind, std::uint32_t namespace_id, const std::string& what);
  void delete_completion_queue(std::uint32_t number) {
    run({.opcode = AdminOpcode::delete_completion_queue, .dword10 = number}, "deleting a completion queue");
  }

  VfioDevice& device_;
  std::string address_;
  Capabilities capabilities_;
  DmaMemory memory_;  ///< of the administration queue, and a page for what Identify tells
  std::vector<QueuePair::Slot> slots_;
  QueuePair::Control control_{};
  QueuePair admin_;
  std::uint64_t most_transfer_bytes_ = 0;
  std::string model_;
  std::uint32_t created_ = 0;  ///< queue pairs
};

}  // namespace graphrun::nvme
