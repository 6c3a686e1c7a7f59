#include <utility>

#include "exec/cuda/pinned_memory.hpp"
#include "transport/cuda/device_copies.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::cuda {
namespace {

/// A read goes from storage to a staging page and from there to the device; a write the other way.
class CopyingEngine final : public BlockEngine {
 public:
  CopyingEngine(std::unique_ptr<BlockEngine> inner, std::uint32_t depth, std::uint32_t most_bytes)
      : most_bytes_(most_bytes), staging_(std::size_t{depth} * most_bytes), inner_(std::move(inner)), requests_(depth) {
    for (std::uint32_t slot = depth; slot > 0; --slot) free_.push_back(slot - 1);
  }

  std::string description() const override { return inner_->description() + ", copied in batches"; }
  bool emulated() const override { return inner_->emulated(); }
  std::uint32_t sector_bytes() const override { return inner_->sector_bytes(); }
  std::string last_error() const override { return inner_->last_error(); }

  bool start(const BlockRequest& request) override {
    if (free_.empty()) return false;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    requests_[slot] = request;
    if (request.opcode == nvme::Opcode::write) {
      copies_.add(staging(slot), request.data, request.bytes, slot);
    } else {
      hand_on_.push_back(slot);
    }
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    start_inner();
    take_from_inner();
    copies_.send();
    copies_.take_finished([this](std::uint64_t tag) {
      const auto slot = static_cast<std::uint32_t>(tag);
      if (requests_[slot].opcode == nvme::Opcode::write) {
        hand_on_.push_back(slot);
      } else {
        finish(slot, nvme::Status::success);
      }
    });
    start_inner();
    std::size_t count = 0;
    for (; count < most && !finished_.empty(); finished_.pop_back()) outcomes[count++] = finished_.back();
    return count;
  }

 private:
  std::byte* staging(std::uint32_t slot) { return staging_.data() + std::size_t{slot} * most_bytes_; }

  void finish(std::uint32_t slot, nvme::Status status) {
    finished_.push_back({requests_[slot].tag, status});
    free_.push_back(slot);
  }

  void start_inner() {
    while (!hand_on_.empty()) {
      const std::uint32_t slot = hand_on_.back();
      const BlockRequest& request = requests_[slot];
      if (!inner_->start({request.opcode, request.offset, request.bytes, staging(slot), slot})) return;
      hand_on_.pop_back();
    }
  }

  void take_from_inner() {
    constexpr std::size_t kMost = 64;
    Done done[kMost];
    for (std::size_t count = kMost; count == kMost;) {
      count = inner_->poll(done, kMost);
      for (std::size_t i = 0; i < count; ++i) {
        const auto slot = static_cast<std::uint32_t>(done[i].tag);
        const BlockRequest& request = requests_[slot];
        if (done[i].status == nvme::Status::success && request.opcode == nvme::Opcode::read) {
          copies_.add(request.data, staging(slot), request.bytes, slot);
        } else {
          finish(slot, done[i].status);
        }
      }
    }
  }

  std::uint32_t most_bytes_;
  PinnedMemory staging_;  ///< a piece of `most_bytes_` for each slot; outlives what fills it and what empties it
  std::unique_ptr<BlockEngine> inner_;
  std::vector<BlockRequest> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> hand_on_;  ///< slots whose requests the inner engine gets next
  std::vector<Done> finished_;
  DeviceCopies copies_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_copying_engine(std::unique_ptr<BlockEngine> inner, std::uint32_t depth,
                                                 std::uint32_t most_bytes) {
  return std::make_unique<CopyingEngine>(std::move(inner), depth, most_bytes);
}

}  // namespace graphrun::cuda
