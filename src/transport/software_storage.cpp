#include "graphrun/transport/software_storage.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graphrun/transport/queue_pairs.hpp"
#include "graphrun/transport/sleeping_engine.hpp"
#include "transport/host_frames.hpp"
#include "transport/sectors.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kMostEngineDepth = 4096;

class SoftwareStorage final : public Storage {
 public:
  SoftwareStorage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine) : queues_(queues, queue_depth) {
    auto engine = open_engine(static_cast<std::uint32_t>(std::min(kMostEngineDepth, queues * queue_depth)));
    sleeper_ = dynamic_cast<const SleepingEngine*>(engine.get());
    controller_.emplace(queues_, std::move(engine));
  }

  std::span<const QueuePair> queues() const override { return queues_; }
  nvme::Namespace name_space() const override { return {}; }

  Frames make_frames(std::uint64_t count, std::uint32_t bytes) override {
    check_sectors(controller_->engine(), bytes);
    const Frames frames = frames_.make(count, bytes);
    controller_->use_memory(frames_.memory());
    return frames;
  }

  bool poll() override { return controller_->poll(); }
  void sleep(std::chrono::microseconds most) override {
    if (sleeper_ != nullptr) sleeper_->sleep(most);
  }

  std::string description() const override { return controller_->engine().description(); }
  bool emulated() const override { return controller_->engine().emulated(); }
  std::string last_error() override { return controller_->last_error(); }

 private:
  QueuePairs queues_;
  HostFrames frames_;
  const SleepingEngine* sleeper_ = nullptr;  ///< the engine, when it can
  std::optional<StorageController> controller_;
};

}  // namespace

std::unique_ptr<Storage> make_software_storage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine) {
  return std::make_unique<SoftwareStorage>(queues, queue_depth, open_engine);
}

}  // namespace graphrun
