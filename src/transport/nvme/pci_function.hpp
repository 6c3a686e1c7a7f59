// SPDX-License-Identifier: Apache-2.0
// An NVMe controller on the PCI bus as the kernel shows it in /sys: whether it is one, who drives it, and what uses it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace graphrun::nvme {

/// Where the kernel shows devices; tests have trees of their own.
struct HostPaths {
  std::filesystem::path sys = "/sys";
  std::filesystem::path mounts = "/proc/self/mountinfo";
  std::filesystem::path swaps = "/proc/swaps";
};

/// Returns "0000:01:00.0" for that or "01:00.0", in lower case. Throws UsageError on other texts.
std::string parse_pci_address(const std::string& text);

class PciFunction {
 public:
  /// Throws UsageError when `address` is none, UnavailableError when nothing or no NVMe controller is there.
  explicit PciFunction(const std::string& address, HostPaths paths = {});

  const std::string& address() const { return address_; }
  /// Returns the kernel's driver of the device; "" without one.
  std::string driver() const;
  /// Returns the number of the IOMMU group; nothing without an IOMMU.
  std::optional<std::string> iommu_group() const;
  /// Throws UnavailableError unless the device is lent to programs (driver vfio-pci), naming its use (a mounted file system,
  /// swap, a device built on it) or else the commands that lend it.
  void require_lent() const;

 private:
  std::filesystem::path folder() const { return paths_.sys / "bus/pci/devices" / address_; }
  /// Returns the disks that the kernel made of its namespaces.
  std::vector<std::string> disks() const;
  /// Returns the use of the disk or a partition of it, as the end of a sentence; empty when there is none.
  std::string use_of_disk(const std::string& disk) const;
  std::string use_of_block_device(const std::filesystem::path& device) const;

  HostPaths paths_;
  std::string address_;
};

}  // namespace graphrun::nvme
