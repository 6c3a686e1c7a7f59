// SPDX-License-Identifier: Apache-2.0
// A PCI device that the kernel lends to this process through VFIO: its registers, mapped, and memory that it reads and writes.
//
// With an IOMMU the device sees only memory that was let in, under addresses chosen here. In VFIO's no-IOMMU mode, which an
// administrator must switch on, it sees all of physical memory: then huge pages, which do not move, are let in by the addresses
// that /proc/self/pagemap tells to privileged processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/owned_fd.hpp"
#include "transport/nvme/pci_function.hpp"

namespace graphrun::nvme {

/// Addresses that an IOMMU can translate.
struct IovaRange {
  std::uint64_t next;  ///< first address not given out
  std::uint64_t last;
};

class VfioDevice {
 public:
  /// Opens the device, which the kernel resets where it can, and lets it reach memory. The kernel ends its transfers with the
  /// process. Throws UnavailableError saying what is missing.
  explicit VfioDevice(const PciFunction& function);
  ~VfioDevice();

  /// Returns base address register 0.
  std::span<volatile std::byte> registers() const { return registers_; }
  bool has_iommu() const { return has_iommu_; }

  /// Lets the device reach whole chunks of DmaMemory; returns their bus addresses. Throws RunError naming what is lacking.
  std::vector<std::uint64_t> let_in(std::span<std::byte> chunks);
  void shut_out(std::uint64_t bus_address, std::size_t bytes) const noexcept;

 private:
  std::uint64_t take_addresses(std::size_t bytes);
  void become_bus_master() const;
  void map_registers();

  std::string address_;
  bool has_iommu_ = false;
  OwnedFd container_;
  OwnedFd group_;
  OwnedFd device_;
  std::vector<IovaRange> ranges_;
  std::span<volatile std::byte> registers_;
};

/// Zeroed memory that a device reaches while this lives. End it only when the device has stopped using it.
class DmaMemory {
 public:
  /// Bytes of a chunk, counted from the start, with contiguous bus addresses.
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

  /// Allocates `bytes`, rounded up to whole chunks. `device` must outlive it. Throws RunError.
  DmaMemory(VfioDevice& device, std::size_t bytes);
  ~DmaMemory();
  DmaMemory(const DmaMemory&) = delete;
  DmaMemory& operator=(const DmaMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Returns the device's address of the byte at `offset`.
  std::uint64_t bus_address(std::size_t offset) const { return chunks_[offset / kChunkBytes] + offset % kChunkBytes; }

 private:
  VfioDevice& device_;
  std::size_t bytes_;
  std::byte* data_;
  std::vector<std::uint64_t> chunks_;
};

}  // namespace graphrun::nvme
