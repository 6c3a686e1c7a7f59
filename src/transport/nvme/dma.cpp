#include "transport/nvme/dma.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "core/owned_fd.hpp"

namespace graphrun::nvme {
namespace {

constexpr int kHugePages = MAP_HUGETLB | 21 << MAP_HUGE_SHIFT;  // of 2^21 bytes: a chunk

/// Reads where pages lie in physical memory.
class PageMap {
 public:
  PageMap() : file_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

  std::uint64_t physical_address(const std::byte* page) const {
    const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto offset = static_cast<off_t>(reinterpret_cast<std::uint64_t>(page) / page_bytes * sizeof(std::uint64_t));
    std::uint64_t entry = 0;
    if (::pread(file_.get(), &entry, sizeof(entry), offset) != sizeof(entry)) entry = 0;
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
    constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55) - 1;
    if ((entry & kPresent) == 0 || (entry & kFrame) == 0) {
      throw RunError(
          "without an IOMMU physical addresses of memory are needed, and /proc/self/pagemap does not tell them: run as root");
    }
    return (entry & kFrame) * page_bytes;
  }

 private:
  OwnedFd file_;
};

class PhysicalSpace final : public DmaSpace {
 public:
  std::string description() const override { return "no IOMMU"; }
  int map_flags() const override { return kHugePages; }
  void shut_out(std::uint64_t, std::size_t) noexcept override {}  // nothing ever stood in between

  std::vector<std::uint64_t> let_in(std::span<std::byte> chunks) override {
    const PageMap map;
    std::vector<std::uint64_t> addresses;
    for (std::size_t at = 0; at < chunks.size(); at += DmaMemory::kChunkBytes) {
      addresses.push_back(map.physical_address(chunks.data() + at));
    }
    return addresses;
  }
};

std::byte* map_memory(std::size_t bytes, int flags) {
  // With an IOMMU aligned to chunks, so that the kernel can pin and translate huge pages as one.
  const std::size_t slack = (flags & MAP_HUGETLB) != 0 ? 0 : DmaMemory::kChunkBytes;
  void* base = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (base == MAP_FAILED) {
    if ((flags & MAP_HUGETLB) == 0) {
      throw RunError(fmt::format("cannot allocate {} for transfers: {}", format_bytes(bytes), std::strerror(errno)));
    }
    throw RunError(
        fmt::format("without an IOMMU transfers need {} more huge pages of 2 MiB: raise /proc/sys/vm/nr_hugepages as root",
                    bytes / DmaMemory::kChunkBytes));
  }
  auto* start = static_cast<std::byte*>(base);
  if (slack == 0) return start;
  const std::size_t head = (slack - reinterpret_cast<std::uintptr_t>(start) % slack) % slack;
  if (head != 0) ::munmap(start, head);
  if (head != slack) ::munmap(start + head + bytes, slack - head);
  ::madvise(start + head, bytes, MADV_HUGEPAGE);
  return start + head;
}

}  // namespace

DmaMemory::DmaMemory(std::shared_ptr<DmaSpace> space, std::size_t bytes)
    : space_(std::move(space)), bytes_((std::max<std::size_t>(bytes, 1) + kChunkBytes - 1) / kChunkBytes * kChunkBytes) {
  data_ = map_memory(bytes_, space_->map_flags());
  std::fill(data_, data_ + bytes_, std::byte{0});  // touched now: it must have its place before the device learns of it
  try {
    chunks_ = space_->let_in({data_, bytes_});
  } catch (...) {
    ::munmap(data_, bytes_);
    throw;
  }
}

DmaMemory::~DmaMemory() {
  space_->shut_out(chunks_.front(), bytes_);
  ::munmap(data_, bytes_);
}

std::shared_ptr<DmaSpace> make_physical_space() { return std::make_shared<PhysicalSpace>(); }

}  // namespace graphrun::nvme
