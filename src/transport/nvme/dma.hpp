// Memory that a device reads and writes on its own, under the addresses that the device knows it by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace graphrun::nvme {

/// What a device can reach.
class DmaSpace {
 public:
  virtual ~DmaSpace() = default;
  /// In words.
  virtual std::string description() const = 0;
  /// Flags of mmap for memory that is to be let in, beside private and anonymous.
  virtual int map_flags() const = 0;
  /// Lets the device reach these whole chunks; the bus address of each. Throws RunError naming what is lacking.
  virtual std::vector<std::uint64_t> let_in(std::span<std::byte> chunks) = 0;
  virtual void shut_out(std::uint64_t bus_address, std::size_t bytes) noexcept = 0;
};

/// Zeroed memory that a device may reach for as long as this lives. End it only when the device has stopped using it.
class DmaMemory {
 public:
  /// Within a chunk, counted from the start, bus addresses are contiguous.
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

  /// `bytes` are rounded up to whole chunks. Throws RunError.
  DmaMemory(std::shared_ptr<DmaSpace> space, std::size_t bytes);
  ~DmaMemory();
  DmaMemory(const DmaMemory&) = delete;
  DmaMemory& operator=(const DmaMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// What the device calls the byte at `offset`.
  std::uint64_t bus_address(std::size_t offset) const { return chunks_[offset / kChunkBytes] + offset % kChunkBytes; }

 private:
  std::shared_ptr<DmaSpace> space_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> chunks_;
};

/// All of physical memory: what a device sees without an IOMMU. Huge pages are let in, because they stay where they are, by
/// the addresses that /proc/self/pagemap tells to privileged processes.
std::shared_ptr<DmaSpace> make_physical_space();

}  // namespace graphrun::nvme
