// SPDX-License-Identifier: Apache-2.0
// Engines that copy between host and device memory, many pages at a time.
#include <cuda_runtime.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "exec/cuda/pinned_memory.hpp"
#include "exec/cuda/streams.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::cuda {
namespace {

/// Asynchronous copies between host and device memory, on a stream without kernels, so that they run beside kernels that wait for
/// them. For one thread at a time.
class DeviceCopies {
 public:
  DeviceCopies() : stream_(shared_copy_stream()) {}
  ~DeviceCopies() {
    cudaStreamSynchronize(stream_);
    for (const auto* batches : {&sent_, &spare_}) {
      for (const Batch& batch : *batches) cudaEventDestroy(batch.event);
    }
  }
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  /// Adds a copy for send(), between addresses that kernels could use. take_finished() gives `tag` back.
  void add(void* to, const void* from, std::size_t bytes, std::uint64_t tag) {
    to_.push_back(to);
    from_.push_back(from);
    bytes_.push_back(bytes);
    tags_.push_back(tag);
  }

  /// Starts the added copies, as one batch where the runtime can. Throws RunError.
  void send() {
    if (tags_.empty()) return;
    if (spare_.empty()) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event for copies");
      spare_.push_back({event, {}});
    }
    Batch batch = std::move(spare_.back());
    spare_.pop_back();
#if CUDART_VERSION >= 13000
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    how.flags = cudaMemcpyFlagPreferOverlapWithCompute;  // by copy engines: kernels fill the multiprocessors, and wait
    std::size_t first = 0;
    check(cudaMemcpyBatchAsync(to_.data(), from_.data(), bytes_.data(), to_.size(), &how, &first, 1, stream_),
          "copy pages in a batch");
#else
    for (std::size_t i = 0; i < to_.size(); ++i) {
      check(cudaMemcpyAsync(to_[i], from_[i], bytes_[i], cudaMemcpyDefault, stream_), "copy a page");
    }
#endif
    check(cudaEventRecord(batch.event, stream_), "record an event for copies");
    batch.tags.swap(tags_);
    sent_.push_back(std::move(batch));
    to_.clear();
    from_.clear();
    bytes_.clear();
  }

  /// Calls take(tag) for finished copies. Throws RunError.
  template <class Take>
  void take_finished(const Take& take) {
    for (; !sent_.empty(); sent_.pop_front()) {
      Batch& batch = sent_.front();
      const cudaError_t status = cudaEventQuery(batch.event);
      if (status == cudaErrorNotReady) return;
      check(status, "copy pages");
      for (const std::uint64_t tag : batch.tags) take(tag);
      batch.tags.clear();
      spare_.push_back(std::move(batch));
    }
  }

 private:
  struct Batch {
    cudaEvent_t event;
    std::vector<std::uint64_t> tags;
  };

  cudaStream_t stream_;
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> bytes_;
  std::vector<std::uint64_t> tags_;
  std::deque<Batch> sent_;
  std::deque<Batch> spare_;
};

/// An engine with staging: a read goes from storage to a staging page and from there to the device; a write the other way.
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
  CachedPages* cached_pages(std::uint64_t file) override { return inner_->cached_pages(file); }
  void drop_cached() override { inner_->drop_cached(); }
  RouteCounters routed() const override { return inner_->routed(); }

  bool start(const BlockRequest& request) override {
    if (free_.empty()) return false;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    requests_[slot] = request;
    if (request.writes()) {
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
      if (requests_[slot].writes()) {
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
        if (done[i].status == nvme::Status::success && !request.writes()) {
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

/// Host memory as a store, with pages copied to device memory in batches, and back: a model of a NIC that reads host memory
/// (Nazaraliyev et al., GPUVM).
class MemoryEngine final : public BlockEngine {
 public:
  MemoryEngine(std::vector<MemoryStretch> stretches, std::uint32_t depth) : stretches_(std::move(stretches)), depth_(depth) {}

  std::string description() const override { return "host memory"; }

  bool start(const BlockRequest& request) override {
    if (out_ == depth_) return false;
    ++out_;
    if (request.file() >= stretches_.size() || !allows(stretches_[request.file()], request)) {
      last_error_ = request.refusal();
      finished_.push_back({request.tag, nvme::Status::out_of_range});
      return true;
    }
    const MemoryStretch& stretch = stretches_[request.file()];
    const std::uint64_t bytes = std::min<std::uint64_t>(request.bytes, stretch.bytes.size() - request.place());
    if (request.writes()) {
      copies_.add(stretch.writable + request.place(), request.data, bytes, request.tag);
    } else {
      copies_.add(request.data, stretch.bytes.data() + request.place(), bytes, request.tag);
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
  static bool allows(const MemoryStretch& stretch, const BlockRequest& request) {
    return request.place() < stretch.bytes.size() && (!request.writes() || stretch.writable != nullptr);
  }

  std::vector<MemoryStretch> stretches_;
  std::uint32_t depth_;
  std::uint32_t out_ = 0;
  std::vector<Done> finished_;
  DeviceCopies copies_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_copying_engine(std::unique_ptr<BlockEngine> inner, std::uint32_t depth,
                                                 std::uint32_t most_bytes) {
  return std::make_unique<CopyingEngine>(std::move(inner), depth, most_bytes);
}

std::unique_ptr<BlockEngine> open_memory_engine(std::vector<MemoryStretch> stretches, std::uint32_t depth) {
  return std::make_unique<MemoryEngine>(std::move(stretches), depth);
}

}  // namespace graphrun::cuda
