// SPDX-License-Identifier: Apache-2.0
// Storage without a device of its own: frames in ordinary memory, which host threads fill.
#include "graphrun/transport/storage.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun {
namespace {

class HostStorage : public Storage {
 public:
  nvme::Namespace name_space() const override { return {}; }

  Frames make_frames(std::uint64_t count, std::uint32_t bytes) override {
    constexpr std::uint32_t kMostBytesOfCommand = 128 << 10;
    memory_ = Column<std::byte>::allocate(count * bytes);
    zero_now();
    chunks_.clear();
    for (std::size_t at = 0; at < memory_.size(); at += nvme::DataMap::kChunkBytes) {
      chunks_.push_back({reinterpret_cast<std::uint64_t>(memory_.data() + at), 0});
    }
    return {memory_.data(), {chunks_.data()}, count, bytes, std::max(bytes, kMostBytesOfCommand)};
  }

 protected:
  Column<std::byte> memory_;

 private:
  /// Makes the kernel zero the frames outside of the first trial, by several threads. Older kernels cannot, and zero them in the
  /// trial.
  void zero_now() {
    static constexpr int kPopulateWrite = 23;
    static constexpr std::size_t kPiece = std::size_t{64} << 20;
    constexpr std::size_t kMostThreads = 16;  // of a large host, which others use too
    const std::size_t pieces = (memory_.size() + kPiece - 1) / kPiece;
    if (pieces == 0) return;
    const auto zero = [this](std::size_t piece) {
      const std::size_t at = piece * kPiece;
      ::madvise(memory_.data() + at, std::min(kPiece, memory_.size() - at), kPopulateWrite);
    };
    try {
      ThreadPool pool(static_cast<int>(std::min({pieces, kMostThreads, static_cast<std::size_t>(ThreadPool::size_for(0))})));
      parallel_tasks(pool, pieces, zero);
    } catch (const RunError&) {  // limits leave no room for more threads
      for (std::size_t piece = 0; piece < pieces; ++piece) zero(piece);
    }
  }

  std::vector<nvme::DataAddress> chunks_;
};

class SoftwareStorage final : public HostStorage {
 public:
  SoftwareStorage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine)
      : queues_(queues, queue_depth),
        controller_(queues_, open_engine(static_cast<std::uint32_t>(std::min(kMostEngineDepth, queues * queue_depth)))) {}

  std::span<const QueuePair> queues() const override { return queues_; }

  Frames make_frames(std::uint64_t count, std::uint32_t bytes) override {
    controller_.check_sectors(bytes);
    const Frames frames = HostStorage::make_frames(count, bytes);
    controller_.use_memory({memory_.data(), memory_.size()});
    return frames;
  }

  bool poll() override { return controller_.poll(); }
  void sleep(std::chrono::microseconds most) override { controller_.engine().sleep(most); }

  CachedPages* cached_pages(std::uint64_t file) override { return controller_.cached_pages(file); }
  void drop_cached() override { controller_.drop_cached(); }
  RouteCounters routed() const override { return controller_.counters().routed; }
  void reset_routed() override { controller_.reset_counters(); }

  std::string description() const override { return controller_.engine().description(); }
  bool emulated() const override { return controller_.engine().emulated(); }
  std::string last_error() override { return controller_.last_error(); }

 private:
  static constexpr std::size_t kMostEngineDepth = 4096;

  QueuePairs queues_;
  StorageController controller_;
};

class MemoryStorage final : public HostStorage {
 public:
  explicit MemoryStorage(std::vector<MemoryStretch> stretches) : stretches_(std::move(stretches)) {}

  std::span<const QueuePair> queues() const override { return {}; }
  const std::byte* in_memory(std::uint64_t offset) const override { return stretch(offset).bytes.data() + offset % kFileStride; }
  std::byte* writable_memory(std::uint64_t offset) override { return stretch(offset).writable + offset % kFileStride; }

  std::string description() const override { return "host memory, copied by the thread that needs a page"; }

 private:
  const MemoryStretch& stretch(std::uint64_t offset) const { return stretches_[static_cast<std::size_t>(offset / kFileStride)]; }

  std::vector<MemoryStretch> stretches_;
};

}  // namespace

std::unique_ptr<Storage> make_software_storage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine) {
  return std::make_unique<SoftwareStorage>(queues, queue_depth, open_engine);
}

std::unique_ptr<Storage> make_memory_storage(std::vector<MemoryStretch> stretches) {
  return std::make_unique<MemoryStorage>(std::move(stretches));
}

}  // namespace graphrun
