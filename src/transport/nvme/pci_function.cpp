// SPDX-License-Identifier: Apache-2.0

#include "transport/nvme/pci_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun::nvme {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNvmeClass = "0x010802";  // mass storage, non-volatile memory, NVM Express
constexpr std::string_view kLender = "vfio-pci";

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string name_behind(const fs::path& link) {
  std::error_code ignored;
  return fs::read_symlink(link, ignored).filename().string();
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the disk "nvme0n2" for "nvme0c1n2", a path to a namespace that several controllers share.
std::string disk_of(std::string name) {
  const std::size_t c = name.find('c');
  if (c != std::string::npos) name.erase(c, name.find('n', c) - c);
  return name;
}

/// Finds the mount point of a device by its numbers or, for file systems with numbers of their own, by its name.
std::string mount_point(const fs::path& mounts, const std::string& numbers, const std::string& device) {
  std::ifstream file(mounts);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    constexpr std::size_t kNumbers = 2;
    constexpr std::size_t kMountPoint = 4;
    if (fields.size() <= kMountPoint) continue;
    const bool is_source = fields.end() - dash > 2 && *(dash + 2) == device;
    if (fields[kNumbers] == numbers || is_source) return fields[kMountPoint];
  }
  return "";
}

bool is_swapped_to(const fs::path& swaps, const std::string& device) {
  std::ifstream file(swaps);
  for (std::string line; std::getline(file, line);) {
    if (line.substr(0, line.find_first_of(" \t")) == device) return true;
  }
  return false;
}

}  // namespace

std::string parse_pci_address(const std::string& text) {
  const std::string address = in_small_letters(std::count(text.begin(), text.end(), ':') == 1 ? "0000:" + text : text);
  constexpr std::string_view kPattern = "xxxx:xx:xx.x";
  const bool fits =
      address.size() == kPattern.size() && std::equal(address.begin(), address.end(), kPattern.begin(), [](char c, char wanted) {
        return wanted == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == wanted;
      });
  if (!fits) raise<UsageError>("'{}' is not a PCI address: write it as lspci -D does, such as 0000:01:00.0", text);
  return address;
}

PciFunction::PciFunction(const std::string& address, HostPaths paths)
    : paths_(std::move(paths)), address_(parse_pci_address(address)) {
  if (!fs::exists(folder())) raise<UnavailableError>("there is no PCI device {} on this machine", address_);
  const std::string kind = first_line(folder() / "class");
  if (kind != kNvmeClass)
    raise<UnavailableError>("PCI device {} is of class {} and not an NVMe controller ({})", address_, kind, kNvmeClass);
}

std::string PciFunction::driver() const { return name_behind(folder() / "driver"); }

std::optional<std::string> PciFunction::iommu_group() const {
  const std::string group = name_behind(folder() / "iommu_group");
  return group.empty() ? std::nullopt : std::optional(group);
}

void PciFunction::require_lent() const {
  const std::string owner = driver();
  if (owner == kLender) return;
  for (const std::string& disk : disks()) {
    const std::string use = use_of_disk(disk);
    if (!use.empty()) raise<UnavailableError>("NVMe device {} is in use: {}", address_, use);
  }
  const std::string here = folder().string();
  raise<UnavailableError>(
      "NVMe device {} {}; to lend it to programs, as root: modprobe vfio-pci; echo vfio-pci > {}/driver_override;{} echo {} > {}",
      address_, owner.empty() ? "has no driver" : fmt::format("belongs to the driver {}", owner), here,
      owner.empty() ? "" : fmt::format(" echo {} > {}/driver/unbind;", address_, here), address_,
      (paths_.sys / "bus/pci/drivers_probe").string());
}

std::vector<std::string> PciFunction::disks() const {
  std::vector<std::string> found;
  for (const fs::path& controller : entries_of(folder() / "nvme")) {
    for (const fs::path& entry : entries_of(controller)) {
      const std::string name = entry.filename().string();
      if (name.starts_with("nvme") && name.find('n', 1) != std::string::npos) found.push_back(disk_of(name));
    }
  }
  return found;
}

std::string PciFunction::use_of_disk(const std::string& disk) const {
  const fs::path folder = paths_.sys / "class/block" / disk;
  if (std::string use = use_of_block_device(folder); !use.empty()) return use;
  for (const fs::path& entry : entries_of(folder)) {
    if (!fs::exists(entry / "partition")) continue;
    if (std::string use = use_of_block_device(entry); !use.empty()) return use;
  }
  return "";
}

std::string PciFunction::use_of_block_device(const fs::path& device) const {
  const std::string name = "/dev/" + device.filename().string();
  const std::string where = mount_point(paths_.mounts, first_line(device / "dev"), name);
  if (!where.empty()) return fmt::format("{} is mounted on {}", name, where);
  if (is_swapped_to(paths_.swaps, name)) return fmt::format("{} is swap space", name);
  const auto holders = entries_of(device / "holders");
  if (!holders.empty()) return fmt::format("{} is a part of /dev/{}", name, holders.front().filename().string());
  return "";
}

}  // namespace graphrun::nvme
