// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/nvme_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "transport/nvme/nvme_controller.hpp"
#include "transport/nvme/pci_function.hpp"
#include "transport/nvme/vfio.hpp"

namespace graphrun {
namespace {

using nvme::DmaMemory;
using nvme::kPageBytes;

constexpr std::uint32_t kMostFrameBytes = 64 << 10;
constexpr std::uint32_t kMostDepth = 8192;  ///< a pair's commands and completions lie in one chunk
constexpr std::chrono::seconds kTransferLimit{10};
constexpr std::chrono::microseconds kBetweenReaps{20};

/// Bytes of a pair's commands, and of its commands and completions. Powers of two, so that no pair crosses a chunk.
struct PairBytes {
  explicit PairBytes(std::uint32_t depth)
      : commands(std::max<std::size_t>(2 * std::size_t{depth} * sizeof(nvme::Command), kPageBytes)), all(2 * commands) {}
  std::size_t commands, all;
};
static_assert(2 * std::size_t{kMostDepth} * sizeof(nvme::Command) * 2 <= DmaMemory::kChunkBytes);

/// Memory of frames, and lists of the pages of each chunk of it.
struct FrameMemory {
  static constexpr std::size_t kPagesInChunk = DmaMemory::kChunkBytes / kPageBytes;
  static_assert(DmaMemory::kChunkBytes == nvme::DataMap::kChunkBytes);
  static_assert(kPagesInChunk * sizeof(std::uint64_t) == kPageBytes, "a list must not cross a page");

  FrameMemory(nvme::VfioDevice& device, std::size_t bytes)
      : data(device, bytes), lists(device, data.bytes() / DmaMemory::kChunkBytes * kPageBytes) {
    for (std::size_t at = 0, list_at = 0; at < data.bytes(); at += DmaMemory::kChunkBytes, list_at += kPageBytes) {
      auto* list = reinterpret_cast<std::uint64_t*>(lists.data() + list_at);
      for (std::size_t page = 0; page < kPagesInChunk; ++page) list[page] = data.bus_address(at + page * kPageBytes);
      chunks.push_back({data.bus_address(at), lists.bus_address(list_at)});
    }
  }

  DmaMemory data;
  DmaMemory lists;
  std::vector<nvme::DataAddress> chunks;
};

class RealNvmeDevice final : public NvmeDevice {
 public:
  RealNvmeDevice(const std::string& where, const NvmeOptions& options)
      : function_(where),
        allow_write_(options.allow_write),
        vfio_(function_),
        bounce_(vfio_, kPageBytes),
        controller_(vfio_, function_.address()),
        facts_(controller_.identify_namespace()) {
    const std::uint32_t wanted = std::bit_floor(std::max(options.queue_depth, 1u));
    make_queues(controller_.request_queues(std::max<std::size_t>(options.queues, 1)),
                std::min({wanted, std::bit_floor(controller_.most_queue_entries()) / 2, kMostDepth}));
  }

  std::span<const QueuePair> queues() const override { return pairs_; }
  nvme::Namespace name_space() const override { return {facts_.id, facts_.block_shift, facts_.blocks << facts_.block_shift}; }

  Frames make_frames(std::uint64_t count, std::uint32_t bytes) override {
    const nvme::Namespace space = name_space();
    const std::uint64_t limit = controller_.most_transfer_bytes();
    const std::uint64_t blocks_limit = std::uint64_t{space.block_bytes()} << 16;  // a command counts its blocks in 16 bits
    const auto most = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({limit == 0 ? DmaMemory::kChunkBytes : limit, blocks_limit, DmaMemory::kChunkBytes}));
    if (!std::has_single_bit(bytes) || bytes < space.block_bytes() || bytes > std::min(most, kMostFrameBytes))
      raise<UsageError>("a page of {} bytes is not possible with NVMe device {}: choose a power of two from {} to {}", bytes,
                        function_.address(), space.block_bytes(), std::min(most, kMostFrameBytes));
    frames_.reset();
    frames_.emplace(vfio_, count * bytes);
    return {frames_->data.data(), {frames_->chunks.data()}, count, bytes, most};
  }

  std::string description() const override {
    return fmt::format("NVMe device {} ({}, {}, {}), {} queue pair{} of depth {}", function_.address(), controller_.model(),
                       format_bytes(name_space().bytes), vfio_.has_iommu() ? "behind an IOMMU" : "no IOMMU", pairs_.size(),
                       pairs_.size() == 1 ? "" : "s", pairs_.front().depth);
  }

  std::string last_error() override { return controller_.state(); }

  void read(std::uint64_t offset, std::span<std::byte> data) override {
    for_each_page(offset, data, [&](std::uint64_t at, std::span<std::byte> piece) {
      move_page(nvme::Opcode::read, at, static_cast<std::uint32_t>(piece.size()));
      std::memcpy(piece.data(), bounce_.data(), piece.size());
    });
  }

  void write(std::uint64_t offset, std::span<const std::byte> data) override {
    if (!allow_write_)
      raise<UsageError>("NVMe device {} was opened for reading only: writing to it must be allowed", function_.address());
    for_each_page(offset, data, [&](std::uint64_t at, std::span<const std::byte> piece) {
      std::memcpy(bounce_.data(), piece.data(), piece.size());
      move_page(nvme::Opcode::write, at, static_cast<std::uint32_t>(piece.size()));
    });
  }

 private:
  void make_queues(std::size_t count, std::uint32_t depth) {
    const PairBytes bytes(depth);
    rings_.emplace(vfio_, count * bytes.all);
    slots_.resize(count * depth);
    controls_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * bytes.all;
      QueuePair pair{.commands = reinterpret_cast<nvme::Command*>(rings_->data() + at),
                     .completions = reinterpret_cast<nvme::Completion*>(rings_->data() + at + bytes.commands),
                     .slots = slots_.data() + i * depth,
                     .control = &controls_[i],
                     .depth = depth,
                     .entries_shift = 1};
      controller_.create_queue_pair(pair, rings_->bus_address(at), rings_->bus_address(at + bytes.commands));
      pairs_.push_back(pair);
    }
  }

  /// Calls move(offset, piece) for pieces of a page. Throws UsageError unless all are whole blocks of the device.
  template <class Byte, class Move>
  void for_each_page(std::uint64_t offset, std::span<Byte> data, const Move& move) const {
    const nvme::Namespace space = name_space();
    if (offset % space.block_bytes() != 0 || data.size() % space.block_bytes() != 0)
      raise<UsageError>("{} bytes at offset {} are no whole blocks of NVMe device {}, whose blocks have {} bytes", data.size(),
                        offset, function_.address(), space.block_bytes());
    if (offset > space.bytes || data.size() > space.bytes - offset)
      raise<UsageError>("{} bytes at offset {} do not lie on NVMe device {}, which has {} bytes", data.size(), offset,
                        function_.address(), space.bytes);
    for (std::size_t at = 0; at < data.size(); at += kPageBytes)
      move(offset + at, data.subspan(at, std::min<std::size_t>(kPageBytes, data.size() - at)));
  }

  /// Moves at most a page between the device and the bounce page, and waits for it.
  void move_page(nvme::Opcode opcode, std::uint64_t offset, std::uint32_t bytes) {
    const QueuePair& queue = pairs_.front();
    const QueuePair::Ticket ticket = queue.draw_ticket();
    queue.write(ticket, name_space().transfer(opcode, {bounce_.bus_address(0), 0}, offset, bytes));
    queue.ring(ticket);
    const auto start = std::chrono::steady_clock::now();
    while (queue.outcome(ticket) == QueuePair::kPending) {
      queue.reap([](std::uint32_t, std::uint32_t) {});
      std::this_thread::sleep_for(kBetweenReaps);
      if (std::chrono::steady_clock::now() - start > kTransferLimit)
        raise<RunError>("NVMe device {} did not move the block at offset {} within {} s; {}", function_.address(), offset,
                        kTransferLimit.count(), controller_.state());
    }
    const std::uint32_t status = queue.outcome(ticket) - QueuePair::kDone;
    queue.finish(queue.slot_of(ticket));
    if (status != 0)
      raise<RunError>("NVMe device {}: moving the block at offset {} failed ({}); {}", function_.address(), offset,
                      nvme::status_text(status), controller_.state());
  }

  // In this order, so that the controller has stopped before the memory goes that it may reach.
  nvme::PciFunction function_;
  bool allow_write_;
  nvme::VfioDevice vfio_;
  DmaMemory bounce_;  ///< a page
  std::optional<DmaMemory> rings_;
  std::optional<FrameMemory> frames_;
  std::vector<QueuePair::Slot> slots_;
  std::vector<QueuePair::Control> controls_;
  std::vector<QueuePair> pairs_;
  nvme::NvmeController controller_;
  nvme::NamespaceFacts facts_;
};

}  // namespace

std::unique_ptr<NvmeDevice> open_nvme_device(const std::string& address, const NvmeOptions& options) {
  return std::make_unique<RealNvmeDevice>(address, options);
}

}  // namespace graphrun
