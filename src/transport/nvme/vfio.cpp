#include "transport/nvme/vfio.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::nvme {
namespace {

std::string reason() { return std::strerror(errno); }

OwnedFd open_or_say(const std::string& path, const std::string& hint) {
  OwnedFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.is_open()) throw UnavailableError(fmt::format("cannot open {}: {}; {}", path, reason(), hint));
  return fd;
}

struct IovaRange {
  std::uint64_t next;  ///< first address not given out
  std::uint64_t last;
};

/// The addresses that an IOMMU can translate for the devices of a container.
std::vector<IovaRange> iova_ranges(int container) {
  vfio_iommu_type1_info size{};
  size.argsz = sizeof(size);
  if (::ioctl(container, VFIO_IOMMU_GET_INFO, &size) != 0) {
    throw UnavailableError(fmt::format("VFIO does not describe the IOMMU: {}", reason()));
  }
  std::vector<std::byte> buffer(std::max<std::size_t>(size.argsz, sizeof(size)));
  auto* info = reinterpret_cast<vfio_iommu_type1_info*>(buffer.data());
  info->argsz = static_cast<std::uint32_t>(buffer.size());
  std::vector<IovaRange> ranges;
  if (::ioctl(container, VFIO_IOMMU_GET_INFO, info) != 0 || (info->flags & VFIO_IOMMU_INFO_CAPS) == 0) return ranges;
  for (std::uint32_t at = info->cap_offset; at != 0;) {
    const auto* header = reinterpret_cast<const vfio_info_cap_header*>(buffer.data() + at);
    if (header->id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE) {
      const auto* found = reinterpret_cast<const vfio_iommu_type1_info_cap_iova_range*>(header);
      for (std::uint32_t i = 0; i < found->nr_iovas; ++i) {
        ranges.push_back({found->iova_ranges[i].start, found->iova_ranges[i].end});
      }
    }
    at = header->next;
  }
  return ranges;
}

class IommuSpace final : public DmaSpace {
 public:
  explicit IommuSpace(std::shared_ptr<OwnedFd> container)
      : container_(std::move(container)), ranges_(iova_ranges(container_->get())) {
    if (ranges_.empty()) {
      throw UnavailableError("this kernel's VFIO does not say which addresses the IOMMU translates: it needs Linux 5.4 or later");
    }
    // Address 0 is translated like any other, but a command that was never filled in should not find memory there.
    for (IovaRange& range : ranges_) range.next = std::max<std::uint64_t>(range.next, DmaMemory::kChunkBytes);
  }

  std::string description() const override { return "behind an IOMMU"; }
  int map_flags() const override { return 0; }

  std::vector<std::uint64_t> let_in(std::span<std::byte> chunks) override {
    vfio_iommu_type1_dma_map map{};
    map.argsz = sizeof(map);
    map.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
    map.vaddr = reinterpret_cast<std::uint64_t>(chunks.data());
    map.iova = take_addresses(chunks.size());
    map.size = chunks.size();
    if (::ioctl(container_->get(), VFIO_IOMMU_MAP_DMA, &map) != 0) {
      const std::string hint = errno == ENOMEM ? "; raise the limit of locked memory (ulimit -l)" : "";
      throw RunError(fmt::format("cannot pin {} for transfers: {}{}", format_bytes(chunks.size()), reason(), hint));
    }
    std::vector<std::uint64_t> addresses;
    for (std::size_t at = 0; at < chunks.size(); at += DmaMemory::kChunkBytes) addresses.push_back(map.iova + at);
    return addresses;
  }

  void shut_out(std::uint64_t bus_address, std::size_t bytes) noexcept override {
    vfio_iommu_type1_dma_unmap unmap{};
    unmap.argsz = sizeof(unmap);
    unmap.iova = bus_address;
    unmap.size = bytes;
    ::ioctl(container_->get(), VFIO_IOMMU_UNMAP_DMA, &unmap);
  }

 private:
  /// Addresses are not used twice: there are enough for everything a process can pin in its life.
  std::uint64_t take_addresses(std::size_t bytes) {
    for (IovaRange& range : ranges_) {
      const std::uint64_t first = (range.next + DmaMemory::kChunkBytes - 1) / DmaMemory::kChunkBytes * DmaMemory::kChunkBytes;
      if (first < range.next || first > range.last || range.last - first < bytes - 1) continue;
      range.next = first + bytes;
      return first;
    }
    throw RunError(fmt::format("the IOMMU has no {} of addresses left", format_bytes(bytes)));
  }

  std::shared_ptr<OwnedFd> container_;
  std::vector<IovaRange> ranges_;
};

OwnedFd open_container() {
  OwnedFd container =
      open_or_say("/dev/vfio/vfio", "storage nvme needs VFIO (modprobe vfio-pci) and the right to open this file");
  if (::ioctl(container.get(), VFIO_GET_API_VERSION) != VFIO_API_VERSION) {
    throw UnavailableError("this kernel's VFIO speaks another version of its interface");
  }
  return container;
}

OwnedFd open_group(const std::string& address, const std::string& name) {
  OwnedFd group = open_or_say(
      "/dev/vfio/" + name,
      fmt::format("it stands for the devices that share an IOMMU group with {}, and belongs to one program at a time", address));
  vfio_group_status status{};
  status.argsz = sizeof(status);
  if (::ioctl(group.get(), VFIO_GROUP_GET_STATUS, &status) != 0 || (status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0) {
    throw UnavailableError(
        fmt::format("other devices of IOMMU group {} belong to the kernel: lend them too, or unbind them", name));
  }
  return group;
}

/// Without an IOMMU the kernel makes groups all the same, if it was told to.
bool has_iommu(const std::string& address, const std::string& group) {
  const std::string guarded = "/dev/vfio/" + group;
  if (::access(guarded.c_str(), F_OK) == 0) return true;
  const std::string unguarded = "/dev/vfio/noiommu-" + group;
  if (::access(unguarded.c_str(), F_OK) == 0) return false;
  throw UnavailableError(fmt::format("neither {} nor {} exists: NVMe device {} is not lent to programs through a VFIO group",
                                     guarded, unguarded, address));
}

}  // namespace

VfioDevice::VfioDevice(const PciFunction& function) : address_(function.address()) {
  function.require_lent();
  const std::optional<std::string> number = function.iommu_group();
  if (!number) {
    throw UnavailableError(
        fmt::format("NVMe device {} has no IOMMU group: switch the IOMMU on (intel_iommu=on), or VFIO's no-IOMMU mode "
                    "(vfio.enable_unsafe_noiommu_mode=1)",
                    address_));
  }
  const bool guarded = has_iommu(address_, *number);
  container_ = std::make_shared<OwnedFd>(open_container());
  group_ = open_group(address_, guarded ? *number : "noiommu-" + *number);
  const int container = container_->get();
  if (::ioctl(group_.get(), VFIO_GROUP_SET_CONTAINER, &container) != 0 ||
      ::ioctl(container, VFIO_SET_IOMMU, guarded ? VFIO_TYPE1v2_IOMMU : VFIO_NOIOMMU_IOMMU) != 0) {
    throw UnavailableError(fmt::format("VFIO does not give memory to NVMe device {}: {}", address_, reason()));
  }
  device_ = OwnedFd(::ioctl(group_.get(), VFIO_GROUP_GET_DEVICE_FD, address_.c_str()));
  if (!device_.is_open()) throw UnavailableError(fmt::format("VFIO does not hand over NVMe device {}: {}", address_, reason()));
  space_ = guarded ? std::make_shared<IommuSpace>(container_) : make_physical_space();
  become_bus_master();
  map_registers();
}

VfioDevice::~VfioDevice() {
  if (!registers_.empty()) ::munmap(const_cast<std::byte*>(registers_.data()), registers_.size());
}

void VfioDevice::become_bus_master() const {
  vfio_region_info region{};
  region.argsz = sizeof(region);
  region.index = VFIO_PCI_CONFIG_REGION_INDEX;
  std::uint16_t command = 0;
  const auto at = [&] { return static_cast<off_t>(region.offset + PCI_COMMAND); };
  if (::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &region) != 0 ||
      ::pread(device_.get(), &command, sizeof(command), at()) != sizeof(command)) {
    throw UnavailableError(fmt::format("cannot read the configuration of NVMe device {}: {}", address_, reason()));
  }
  command |= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
  if (::pwrite(device_.get(), &command, sizeof(command), at()) != sizeof(command)) {
    throw UnavailableError(fmt::format("cannot let NVMe device {} reach memory: {}", address_, reason()));
  }
}

void VfioDevice::map_registers() {
  vfio_region_info region{};
  region.argsz = sizeof(region);
  region.index = VFIO_PCI_BAR0_REGION_INDEX;
  const bool described = ::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &region) == 0;
  if (!described || (region.flags & VFIO_REGION_INFO_FLAG_MMAP) == 0) {
    throw UnavailableError(fmt::format("VFIO does not let the registers of NVMe device {} be mapped", address_));
  }
  void* base = ::mmap(nullptr, region.size, PROT_READ | PROT_WRITE, MAP_SHARED, device_.get(), static_cast<off_t>(region.offset));
  if (base == MAP_FAILED) {
    throw UnavailableError(fmt::format("cannot map the registers of NVMe device {}: {}", address_, reason()));
  }
  registers_ = {static_cast<volatile std::byte*>(base), static_cast<std::size_t>(region.size)};
}

}  // namespace graphrun::nvme
