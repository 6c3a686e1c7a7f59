// SPDX-License-Identifier: Apache-2.0

#include "transport/nvme/vfio.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun::nvme {
namespace {

std::string reason() { return std::strerror(errno); }

OwnedFd open_or_say(const std::string& path, const std::string& hint) {
  OwnedFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.is_open()) raise<UnavailableError>("cannot open {}: {}; {}", path, reason(), hint);
  return fd;
}

/// Returns the addresses that an IOMMU can translate for the devices of a container. Throws UnavailableError when there are none.
std::vector<IovaRange> iova_ranges(int container) {
  vfio_iommu_type1_info size{};
  size.argsz = sizeof(size);
  if (::ioctl(container, VFIO_IOMMU_GET_INFO, &size) != 0)
    raise<UnavailableError>("VFIO does not describe the IOMMU: {}", reason());
  std::vector<std::byte> buffer(std::max<std::size_t>(size.argsz, sizeof(size)));
  auto* info = reinterpret_cast<vfio_iommu_type1_info*>(buffer.data());
  info->argsz = static_cast<std::uint32_t>(buffer.size());
  const bool told = ::ioctl(container, VFIO_IOMMU_GET_INFO, info) == 0 && (info->flags & VFIO_IOMMU_INFO_CAPS) != 0;
  std::vector<IovaRange> ranges;
  for (std::uint32_t at = told ? info->cap_offset : 0; at != 0;) {
    const auto* header = reinterpret_cast<const vfio_info_cap_header*>(buffer.data() + at);
    if (header->id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE) {
      const auto* found = reinterpret_cast<const vfio_iommu_type1_info_cap_iova_range*>(header);
      for (std::uint32_t i = 0; i < found->nr_iovas; ++i) {
        ranges.push_back({found->iova_ranges[i].start, found->iova_ranges[i].end});
      }
    }
    at = header->next;
  }
  if (ranges.empty())
    throw UnavailableError("this kernel's VFIO does not say which addresses the IOMMU translates: it needs Linux 5.4 or later");
  // Address 0 is translated like any other, but a command that was never filled in should not find memory there.
  for (IovaRange& range : ranges) range.next = std::max<std::uint64_t>(range.next, DmaMemory::kChunkBytes);
  return ranges;
}

/// Returns where whole chunks lie in physical memory.
std::vector<std::uint64_t> physical_addresses(std::span<const std::byte> chunks) {
  const OwnedFd map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<std::uint64_t> addresses;
  for (std::size_t at = 0; at < chunks.size(); at += DmaMemory::kChunkBytes) {
    const auto page = reinterpret_cast<std::uint64_t>(chunks.data() + at) / page_bytes;
    std::uint64_t entry = 0;
    if (::pread(map.get(), &entry, sizeof(entry), static_cast<off_t>(page * sizeof(entry))) != sizeof(entry)) entry = 0;
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
    constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55) - 1;
    if ((entry & kPresent) == 0 || (entry & kFrame) == 0)
      throw RunError(
          "without an IOMMU physical addresses of memory are needed, and /proc/self/pagemap does not tell them: run as root");
    addresses.push_back((entry & kFrame) * page_bytes);
  }
  return addresses;
}

/// Maps huge pages, or memory aligned to chunks, so that the kernel can pin and translate huge pages as one.
std::byte* map_memory(std::size_t bytes, bool in_huge_pages) {
  constexpr int kHugePages = MAP_HUGETLB | 21 << MAP_HUGE_SHIFT;  // of 2^21 bytes: a chunk
  const std::size_t slack = in_huge_pages ? 0 : DmaMemory::kChunkBytes;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (in_huge_pages ? kHugePages : 0);
  void* base = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (base == MAP_FAILED)
    throw RunError(
        in_huge_pages
            ? fmt::format("without an IOMMU transfers need {} more huge pages of 2 MiB: raise /proc/sys/vm/nr_hugepages as root",
                          bytes / DmaMemory::kChunkBytes)
            : fmt::format("cannot allocate {} for transfers: {}", format_bytes(bytes), reason()));
  auto* start = static_cast<std::byte*>(base);
  if (slack == 0) return start;
  const std::size_t head = (slack - reinterpret_cast<std::uintptr_t>(start) % slack) % slack;
  if (head != 0) ::munmap(start, head);
  if (head != slack) ::munmap(start + head + bytes, slack - head);
  ::madvise(start + head, bytes, MADV_HUGEPAGE);
  return start + head;
}

OwnedFd open_container() {
  OwnedFd container =
      open_or_say("/dev/vfio/vfio", "storage nvme needs VFIO (modprobe vfio-pci) and the right to open this file");
  if (::ioctl(container.get(), VFIO_GET_API_VERSION) != VFIO_API_VERSION)
    throw UnavailableError("this kernel's VFIO speaks another version of its interface");
  return container;
}

OwnedFd open_group(const std::string& address, const std::string& name) {
  OwnedFd group = open_or_say(
      "/dev/vfio/" + name,
      fmt::format("it stands for the devices that share an IOMMU group with {}, and belongs to one program at a time", address));
  vfio_group_status status{};
  status.argsz = sizeof(status);
  if (::ioctl(group.get(), VFIO_GROUP_GET_STATUS, &status) != 0 || (status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0)
    raise<UnavailableError>("other devices of IOMMU group {} belong to the kernel: lend them too, or unbind them", name);
  return group;
}

/// Returns whether an IOMMU guards the group. Without one the kernel makes groups all the same, if it was told to.
bool is_guarded(const std::string& address, const std::string& group) {
  const std::string guarded = "/dev/vfio/" + group;
  if (::access(guarded.c_str(), F_OK) == 0) return true;
  const std::string unguarded = "/dev/vfio/noiommu-" + group;
  if (::access(unguarded.c_str(), F_OK) == 0) return false;
  raise<UnavailableError>("neither {} nor {} exists: NVMe device {} is not lent to programs through a VFIO group", guarded,
                          unguarded, address);
}

}  // namespace

VfioDevice::VfioDevice(const PciFunction& function) : address_(function.address()) {
  function.require_lent();
  const std::optional<std::string> number = function.iommu_group();
  if (!number)
    raise<UnavailableError>(
        "NVMe device {} has no IOMMU group: switch the IOMMU on (intel_iommu=on), or VFIO's no-IOMMU mode "
        "(vfio.enable_unsafe_noiommu_mode=1)",
        address_);
  has_iommu_ = is_guarded(address_, *number);
  container_ = open_container();
  group_ = open_group(address_, has_iommu_ ? *number : "noiommu-" + *number);
  const int container = container_.get();
  if (::ioctl(group_.get(), VFIO_GROUP_SET_CONTAINER, &container) != 0 ||
      ::ioctl(container, VFIO_SET_IOMMU, has_iommu_ ? VFIO_TYPE1v2_IOMMU : VFIO_NOIOMMU_IOMMU) != 0) {
    raise<UnavailableError>("VFIO does not give memory to NVMe device {}: {}", address_, reason());
  }
  device_ = OwnedFd(::ioctl(group_.get(), VFIO_GROUP_GET_DEVICE_FD, address_.c_str()));
  if (!device_.is_open()) raise<UnavailableError>("VFIO does not hand over NVMe device {}: {}", address_, reason());
  if (has_iommu_) ranges_ = iova_ranges(container);
  become_bus_master();
  map_registers();
}

VfioDevice::~VfioDevice() {
  if (!registers_.empty()) ::munmap(const_cast<std::byte*>(registers_.data()), registers_.size());
}

std::vector<std::uint64_t> VfioDevice::let_in(std::span<std::byte> chunks) {
  if (!has_iommu_) return physical_addresses(chunks);
  vfio_iommu_type1_dma_map map{};
  map.argsz = sizeof(map);
  map.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
  map.vaddr = reinterpret_cast<std::uint64_t>(chunks.data());
  map.iova = take_addresses(chunks.size());
  map.size = chunks.size();
  if (::ioctl(container_.get(), VFIO_IOMMU_MAP_DMA, &map) != 0) {
    const std::string hint = errno == ENOMEM ? "; raise the limit of locked memory (ulimit -l)" : "";
    raise<RunError>("cannot pin {} for transfers: {}{}", format_bytes(chunks.size()), reason(), hint);
  }
  std::vector<std::uint64_t> addresses;
  for (std::size_t at = 0; at < chunks.size(); at += DmaMemory::kChunkBytes) addresses.push_back(map.iova + at);
  return addresses;
}

void VfioDevice::shut_out(std::uint64_t bus_address, std::size_t bytes) const noexcept {
  if (!has_iommu_) return;  // nothing ever stood in between
  vfio_iommu_type1_dma_unmap unmap{};
  unmap.argsz = sizeof(unmap);
  unmap.iova = bus_address;
  unmap.size = bytes;
  ::ioctl(container_.get(), VFIO_IOMMU_UNMAP_DMA, &unmap);
}

/// Takes addresses, never twice: there are enough for everything a process can pin in its life.
std::uint64_t VfioDevice::take_addresses(std::size_t bytes) {
  for (IovaRange& range : ranges_) {
    const std::uint64_t first = (range.next + DmaMemory::kChunkBytes - 1) / DmaMemory::kChunkBytes * DmaMemory::kChunkBytes;
    if (first < range.next || first > range.last || range.last - first < bytes - 1) continue;
    range.next = first + bytes;
    return first;
  }
  raise<RunError>("the IOMMU has no {} of addresses left", format_bytes(bytes));
}

void VfioDevice::become_bus_master() const {
  vfio_region_info region{};
  region.argsz = sizeof(region);
  region.index = VFIO_PCI_CONFIG_REGION_INDEX;
  std::uint16_t command = 0;
  const auto at = [&] { return static_cast<off_t>(region.offset + PCI_COMMAND); };
  if (::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &region) != 0 ||
      ::pread(device_.get(), &command, sizeof(command), at()) != sizeof(command)) {
    raise<UnavailableError>("cannot read the configuration of NVMe device {}: {}", address_, reason());
  }
  command |= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
  if (::pwrite(device_.get(), &command, sizeof(command), at()) != sizeof(command))
    raise<UnavailableError>("cannot let NVMe device {} reach memory: {}", address_, reason());
}

void VfioDevice::map_registers() {
  vfio_region_info region{};
  region.argsz = sizeof(region);
  region.index = VFIO_PCI_BAR0_REGION_INDEX;
  const bool described = ::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &region) == 0;
  if (!described || (region.flags & VFIO_REGION_INFO_FLAG_MMAP) == 0)
    raise<UnavailableError>("VFIO does not let the registers of NVMe device {} be mapped", address_);
  void* base = ::mmap(nullptr, region.size, PROT_READ | PROT_WRITE, MAP_SHARED, device_.get(), static_cast<off_t>(region.offset));
  if (base == MAP_FAILED) raise<UnavailableError>("cannot map the registers of NVMe device {}: {}", address_, reason());
  registers_ = {static_cast<volatile std::byte*>(base), static_cast<std::size_t>(region.size)};
}

DmaMemory::DmaMemory(VfioDevice& device, std::size_t bytes)
    : device_(device),
      bytes_((std::max<std::size_t>(bytes, 1) + kChunkBytes - 1) / kChunkBytes * kChunkBytes),
      data_(map_memory(bytes_, !device.has_iommu())) {
  std::fill(data_, data_ + bytes_, std::byte{0});  // touched now: it must have its place before the device learns of it
  try {
    chunks_ = device_.let_in({data_, bytes_});
  } catch (...) {
    ::munmap(data_, bytes_);
    throw;
  }
}

DmaMemory::~DmaMemory() {
  device_.shut_out(chunks_.front(), bytes_);
  ::munmap(data_, bytes_);
}

}  // namespace graphrun::nvme
