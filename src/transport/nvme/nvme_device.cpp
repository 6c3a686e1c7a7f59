#include "graphrun/transport/nvme_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "transport/nvme/nvme_controller.hpp"
#include "transport/nvme/pci_function.hpp"
#include "transport/nvme/vfio.hpp"
#include "transport/nvme_status.hpp"

namespace graphrun {
namespace {

using nvme::DmaMemory;
using nvme::kPageBytes;

constexpr std::uint32_t kMostFrameBytes = 64 << 10;
constexpr std::uint32_t kMostDepth = 8192;  ///< a pair's commands and completions lie in one chunk
constexpr std::chrono::seconds kTransferLimit{10};
constexpr std::chrono::microseconds kBetweenReaps{20};

/// Bytes of the commands, and of commands and completions, of a pair. Powers of two, so that no pair crosses a chunk.
struct PairBytes {
  explicit PairBytes(std::uint32_t depth)
      : commands(std::max<std::size_t>(2 * std::size_t{depth} * sizeof(nvme::Command), kPageBytes)), all(2 * commands) {}
  std::size_t commands, all;
};
static_assert(2 * std::size_t{kMostDepth} * sizeof(nvme::Command) * 2 <= DmaMemory::kChunkBytes);

/// Frames, and a list of the pages of each chunk.
class DeviceFrames {
 public:
  DeviceFrames(const std::shared_ptr<nvme::DmaSpace>& space, std::uint64_t count, std::uint32_t frame_bytes,
               std::uint32_t most_bytes)
      : data_(space, count * frame_bytes), lists_(space, data_.bytes() / DmaMemory::kChunkBytes * kPageBytes) {
    for (std::size_t at = 0; at < data_.bytes(); at += DmaMemory::kChunkBytes) chunks_.push_back(describe_chunk(at));
    frames_ = {data_.data(), {chunks_.data()}, count, frame_bytes, most_bytes};
  }

  const Frames& frames() const { return frames_; }

 private:
  static constexpr std::size_t kPagesInChunk = DmaMemory::kChunkBytes / kPageBytes;
  static_assert(DmaMemory::kChunkBytes == nvme::DataMap::kChunkBytes);
  static_assert(kPagesInChunk * sizeof(std::uint64_t) == kPageBytes, "a list must not cross a page");

  nvme::DataAddress describe_chunk(std::size_t at) {
    const std::size_t list_at = at / DmaMemory::kChunkBytes * kPageBytes;
    auto* list = reinterpret_cast<std::uint64_t*>(lists_.data() + list_at);
    for (std::size_t page = 0; page < kPagesInChunk; ++page) list[page] = data_.bus_address(at + page * kPageBytes);
    return {data_.bus_address(at), lists_.bus_address(list_at)};
  }

  DmaMemory data_;
  DmaMemory lists_;
  std::vector<nvme::DataAddress> chunks_;
  Frames frames_;
};

}  // namespace

struct NvmeDevice::Parts {
  Parts(const std::string& where, const NvmeOptions& options)
      : function(where),
        allow_write(options.allow_write),
        vfio(function),
        bounce(vfio.space(), kPageBytes),
        controller(vfio, function.address()),
        facts(controller.identify_namespace()) {
    const std::uint32_t wanted = std::bit_floor(std::max(options.queue_depth, 1u));
    make_queues(controller.request_queues(std::max<std::size_t>(options.queues, 1)),
                std::min({wanted, std::bit_floor(controller.most_queue_entries()) / 2, kMostDepth}));
  }

  void make_queues(std::size_t count, std::uint32_t depth) {
    const PairBytes bytes(depth);
    rings.emplace(vfio.space(), count * bytes.all);
    slots.resize(count * depth);
    controls.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * bytes.all;
      QueuePair pair{.commands = reinterpret_cast<nvme::Command*>(rings->data() + at),
                     .completions = reinterpret_cast<nvme::Completion*>(rings->data() + at + bytes.commands),
                     .slots = slots.data() + i * depth,
                     .control = &controls[i],
                     .depth = depth,
                     .entries_shift = 1};
      controller.create_queue_pair(pair, rings->bus_address(at), rings->bus_address(at + bytes.commands));
      pairs.push_back(pair);
    }
  }

  nvme::Namespace name_space() const { return {facts.id, facts.block_shift, facts.blocks << facts.block_shift}; }
  void check_range(std::uint64_t offset, std::uint64_t bytes) const;
  /// Moves at most a page between the device and the bounce page, and waits for it.
  void move_page(nvme::Opcode opcode, std::uint64_t offset, std::uint32_t bytes);

  // In this order, so that the controller has stopped before the memory goes that it may reach.
  nvme::PciFunction function;
  bool allow_write;
  nvme::VfioDevice vfio;
  DmaMemory bounce;  ///< a page
  std::optional<DmaMemory> rings;
  std::optional<DeviceFrames> frames;
  std::vector<QueuePair::Slot> slots;
  std::vector<QueuePair::Control> controls;
  std::vector<QueuePair> pairs;
  nvme::NvmeController controller;
  nvme::NamespaceFacts facts;
};

void NvmeDevice::Parts::check_range(std::uint64_t offset, std::uint64_t bytes) const {
  const nvme::Namespace space = name_space();
  if (offset % space.block_bytes() != 0 || bytes % space.block_bytes() != 0) {
    throw UsageError(fmt::format("{} bytes at offset {} are no whole blocks of NVMe device {}, whose blocks have {} bytes", bytes,
                                 offset, function.address(), space.block_bytes()));
  }
  if (offset > space.bytes || bytes > space.bytes - offset) {
    throw UsageError(fmt::format("{} bytes at offset {} do not lie on NVMe device {}, which has {} bytes", bytes, offset,
                                 function.address(), space.bytes));
  }
}

void NvmeDevice::Parts::move_page(nvme::Opcode opcode, std::uint64_t offset, std::uint32_t bytes) {
  const QueuePair& queue = pairs.front();
  const QueuePair::Ticket ticket = queue.draw_ticket();
  queue.write(ticket, name_space().transfer(opcode, {bounce.bus_address(0), 0}, offset, bytes));
  queue.ring(ticket);
  const auto start = std::chrono::steady_clock::now();
  while (queue.outcome(ticket) == QueuePair::kPending) {
    queue.reap([](std::uint32_t, std::uint32_t) {});
    std::this_thread::sleep_for(kBetweenReaps);
    if (std::chrono::steady_clock::now() - start > kTransferLimit) {
      throw RunError(fmt::format("NVMe device {} did not move the block at offset {} within {} s; {}", function.address(), offset,
                                 kTransferLimit.count(), controller.state()));
    }
  }
  const std::uint32_t status = queue.outcome(ticket) - QueuePair::kDone;
  queue.finish(queue.slot_of(ticket));
  if (status != 0) {
    throw RunError(fmt::format("NVMe device {}: moving the block at offset {} failed ({}); {}", function.address(), offset,
                               nvme::status_text(status), controller.state()));
  }
}

NvmeDevice::NvmeDevice(const std::string& address, const NvmeOptions& options)
    : parts_(std::make_unique<Parts>(address, options)) {}
NvmeDevice::~NvmeDevice() = default;

std::span<const QueuePair> NvmeDevice::queues() const { return parts_->pairs; }
nvme::Namespace NvmeDevice::name_space() const { return parts_->name_space(); }

Frames NvmeDevice::make_frames(std::uint64_t count, std::uint32_t bytes) {
  const nvme::Namespace space = name_space();
  const std::uint64_t limit = parts_->controller.most_transfer_bytes();
  const std::uint64_t blocks_limit = std::uint64_t{space.block_bytes()} << 16;  // a command counts its blocks in 16 bits
  const auto most = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({limit == 0 ? DmaMemory::kChunkBytes : limit, blocks_limit, DmaMemory::kChunkBytes}));
  if (!std::has_single_bit(bytes) || bytes < space.block_bytes() || bytes > std::min(most, kMostFrameBytes)) {
    throw UsageError(fmt::format("a page of {} bytes is not possible with NVMe device {}: choose a power of two from {} to {}",
                                 bytes, parts_->function.address(), space.block_bytes(), std::min(most, kMostFrameBytes)));
  }
  parts_->frames.reset();
  parts_->frames.emplace(parts_->vfio.space(), count, bytes, most);
  return parts_->frames->frames();
}

std::string NvmeDevice::description() const {
  return fmt::format("NVMe device {} ({}, {}, {}), {} queue pair{} of depth {}", parts_->function.address(),
                     parts_->controller.model(), format_bytes(name_space().bytes), parts_->vfio.space()->description(),
                     parts_->pairs.size(), parts_->pairs.size() == 1 ? "" : "s", parts_->pairs.front().depth);
}

std::string NvmeDevice::last_error() { return parts_->controller.state(); }

void NvmeDevice::read(std::uint64_t offset, std::span<std::byte> data) {
  parts_->check_range(offset, data.size());
  for (std::size_t at = 0; at < data.size(); at += kPageBytes) {
    const auto piece = data.subspan(at, std::min<std::size_t>(kPageBytes, data.size() - at));
    parts_->move_page(nvme::Opcode::read, offset + at, static_cast<std::uint32_t>(piece.size()));
    std::memcpy(piece.data(), parts_->bounce.data(), piece.size());
  }
}

void NvmeDevice::write(std::uint64_t offset, std::span<const std::byte> data) {
  if (!parts_->allow_write) {
    throw UsageError(
        fmt::format("NVMe device {} was opened for reading only: writing to it must be allowed", parts_->function.address()));
  }
  parts_->check_range(offset, data.size());
  for (std::size_t at = 0; at < data.size(); at += kPageBytes) {
    const auto piece = data.subspan(at, std::min<std::size_t>(kPageBytes, data.size() - at));
    std::memcpy(parts_->bounce.data(), piece.data(), piece.size());
    parts_->move_page(nvme::Opcode::write, offset + at, static_cast<std::uint32_t>(piece.size()));
  }
}

}  // namespace graphrun
