// SPDX-License-Identifier: Apache-2.0
// A real NVMe device, driven from this process through VFIO: it takes the commands of queue pairs itself, whose doorbells are its
// registers (Qureshi et al., ASPLOS 2023, section 3.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graphrun/transport/storage.hpp"

namespace graphrun {

struct NvmeOptions {
  std::size_t queues = 1;           ///< wanted; a device may have fewer
  std::uint32_t queue_depth = 256;  ///< wanted, a power of two; a device may take less
  bool allow_write = false;
};

/// The first namespace of a device. The device is stopped when this ends, before its memory goes.
class NvmeDevice : public Storage {
 public:
  /// Reads or writes whole blocks, and waits; for headers and tests, on one thread at a time. Throws RunError when the device
  /// reports an error or does not answer; write() throws UsageError unless writing was allowed.
  virtual void read(std::uint64_t offset, std::span<std::byte> data) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> data) = 0;
};

/// Opens the PCI function `address`, such as "0000:01:00.0". Throws UsageError for another form; UnavailableError, with the way
/// out, when there is no such device, when it is in use (mounted, swap, part of another device) or not lent to programs; RunError
/// when it does not answer in time.
std::unique_ptr<NvmeDevice> open_nvme_device(const std::string& address, const NvmeOptions& options);

}  // namespace graphrun
