// The controller of an NVMe device, run from user space: started, asked what it is, given queues, and stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graphrun/transport/queue_pair.hpp"
#include "transport/nvme/controller_layout.hpp"
#include "transport/nvme/dma.hpp"
#include "transport/nvme/vfio.hpp"

namespace graphrun::nvme {

/// A namespace as its controller describes it.
struct NamespaceFacts {
  std::uint32_t id;
  std::uint32_t block_shift;
  std::uint64_t blocks;
};

/// For one thread. Every wait has a deadline, past which RunError says what was waited for.
class NvmeController {
 public:
  /// Stops the controller if its last driver left it running, and starts it with an administration queue. `device` must outlive
  /// it. Throws UnavailableError when this driver cannot run the device.
  NvmeController(VfioDevice& device, std::string address);
  /// Deletes its queues, shuts down and disables: from here on the device touches no memory.
  ~NvmeController();
  NvmeController(const NvmeController&) = delete;
  NvmeController& operator=(const NvmeController&) = delete;

  const std::string& model() const { return model_; }
  /// Most bytes of a command; 0: no limit.
  std::uint64_t most_transfer_bytes() const { return most_transfer_bytes_; }
  std::uint32_t most_queue_entries() const { return capabilities_.most_queue_entries(); }

  /// The first that is active.
  NamespaceFacts identify_namespace();
  /// Asks for this many queue pairs. Returns how many there will be, at least 1. Once, before the first is created.
  std::size_t request_queues(std::size_t wanted);
  /// Makes the device the consumer of a queue pair whose commands and completions lie at these bus addresses, and sets its
  /// doorbells. Pairs get the numbers 1, 2, ...
  void create_queue_pair(QueuePair& pair, std::uint64_t commands_address, std::uint64_t completions_address);

  /// What the device says of itself when something has failed.
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
  /// Before memory goes that the device would use otherwise.
  void disable_or_warn() noexcept;
  void shut_down();
  void identify_controller();

  /// Waits until `is_done`, or throws RunError saying that `what` did not happen.
  void wait_for(const std::string& what, std::chrono::milliseconds limit, const std::function<bool()>& is_done) const;
  /// Carries an administration command out; its result, or RunError saying that `what` failed.
  std::uint32_t run(AdminCommand command, const std::string& what);
  /// The page that an Identify command filled in; until the next one.
  const std::byte* identify(std::uint32_t kind, std::uint32_t namespace_id, const std::string& what);
  void delete_queue(AdminOpcode opcode, std::uint32_t number, const std::string& what);

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
