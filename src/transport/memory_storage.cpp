#include "graphrun/transport/memory_storage.hpp"

#include <sys/mman.h>

#include <utility>

#include "graphrun/transport/controller.hpp"
#include "transport/host_frames.hpp"

namespace graphrun {
namespace {

class MemoryStorage final : public Storage {
 public:
  explicit MemoryStorage(std::vector<MemoryStretch> stretches) : stretches_(std::move(stretches)) {}

  std::span<const QueuePair> queues() const override { return {}; }
  nvme::Namespace name_space() const override { return {}; }
  const std::byte* in_memory(std::uint64_t offset) const override {
    return stretch(offset).bytes.data() + offset % kFileStride;
  }
  std::byte* writable_memory(std::uint64_t offset) override { return stretch(offset).writable + offset % kFileStride; }

  Frames make_frames(std::uint64_t count, std::uint32_t bytes) override {
    const Frames frames = frames_.make(count, bytes);
    // So that no first trial pays for the kernel's zeroing. Older kernels cannot; then it does.
    constexpr int kPopulateWrite = 23;
    ::madvise(frames_.memory().data(), frames_.memory().size(), kPopulateWrite);
    return frames;
  }

  bool poll() override { return false; }
  void sleep(std::chrono::microseconds) override {}

  std::string description() const override { return "host memory, copied by whoever needs a page"; }
  bool emulated() const override { return false; }
  std::string last_error() override { return {}; }

 private:
  const MemoryStretch& stretch(std::uint64_t offset) const { return stretches_[static_cast<std::size_t>(offset / kFileStride)]; }

  std::vector<MemoryStretch> stretches_;
  HostFrames frames_;
};

}  // namespace

std::unique_ptr<Storage> make_memory_storage(std::vector<MemoryStretch> stretches) {
  return std::make_unique<MemoryStorage>(std::move(stretches));
}

}  // namespace graphrun
