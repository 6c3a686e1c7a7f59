// Host memory as a store, whose pages are copied to device memory in batches, and back: what stands beside a GPU in place of a
// NIC that reads host memory (Nazaraliyev et al., GPUVM).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transport/cuda/device_copies.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::cuda {
namespace {

class MemoryEngine final : public BlockEngine {
 public:
  MemoryEngine(std::vector<MemoryStretch> stretches, std::uint32_t depth) : stretches_(std::move(stretches)), depth_(depth) {}

  std::string description() const override { return "host memory"; }
  bool emulated() const override { return false; }
  std::string last_error() const override { return last_error_; }

  bool start(const BlockRequest& request) override {
    if (out_ == depth_) return false;
    ++out_;
    const std::uint64_t index = request.offset / kFileStride;
    const std::uint64_t offset = request.offset % kFileStride;
    const bool reads = request.opcode == nvme::Opcode::read;
    const bool allowed =
        index < stretches_.size() && offset < stretches_[index].bytes.size() && (reads || stretches_[index].writable != nullptr);
    if (!allowed) {
      last_error_ = fmt::format("a transfer that the store does not allow, or outside of it, at offset {}", request.offset);
      finished_.push_back({request.tag, nvme::Status::out_of_range});
      return true;
    }
    const MemoryStretch& stretch = stretches_[index];
    const std::uint64_t bytes = std::min<std::uint64_t>(request.bytes, stretch.bytes.size() - offset);
    if (reads) {
      copies_.add(request.data, stretch.bytes.data() + offset, bytes, request.tag);
    } else {
      copies_.add(stretch.writable + offset, request.data, bytes, request.tag);
    }
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    copies_.send();
    copies_.take_finished([this](std::uint64_t tag) { finished_.push_back({tag, nvme::Status::success}); });
    std::size_t count = 0;
    for (; count < most && !finished_.empty(); finished_.pop_back()) outcomes[count++] = finished_.back();
    out_ -= static_cast<std::uint32_t>(count);
    return count;
  }

 private:
  std::vector<MemoryStretch> stretches_;
  std::uint32_t depth_;
  std::uint32_t out_ = 0;
  std::vector<Done> finished_;
  std::string last_error_;
  DeviceCopies copies_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_memory_engine(std::vector<MemoryStretch> stretches, std::uint32_t depth) {
  return std::make_unique<MemoryEngine>(std::move(stretches), depth);
}

}  // namespace graphrun::cuda
