// A PCI device that the kernel lends to this process through VFIO: its registers, mapped, and memory that it may reach.
//
// With an IOMMU the device sees only memory that was let in, under addresses that are chosen here. In VFIO's no-IOMMU mode, which
// an administrator must have switched on, it sees all of physical memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "transport/nvme/dma.hpp"
#include "core/owned_fd.hpp"
#include "transport/nvme/pci_function.hpp"

namespace graphrun::nvme {

class VfioDevice {
 public:
  /// Opens the device, which the kernel resets for that where it can, and lets it reach memory. When the process ends, in
  /// whatever way, the kernel ends its transfers. Throws UnavailableError saying what is missing.
  explicit VfioDevice(const PciFunction& function);
  ~VfioDevice();
  VfioDevice(const VfioDevice&) = delete;
  VfioDevice& operator=(const VfioDevice&) = delete;

  /// Base address register 0.
  std::span<volatile std::byte> registers() const { return registers_; }
  const std::shared_ptr<DmaSpace>& space() const { return space_; }

 private:
  void become_bus_master() const;
  void map_registers();

  std::string address_;
  std::shared_ptr<OwnedFd> container_;
  OwnedFd group_;
  OwnedFd device_;
  std::shared_ptr<DmaSpace> space_;
  std::span<volatile std::byte> registers_;
};

}  // namespace graphrun::nvme
