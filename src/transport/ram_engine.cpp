// A model of a storage device over memory. A request waits for its share of the device's rate, and then for its latency; the
// data are copied when it is over.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <queue>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/column.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {
namespace {

using Clock = std::chrono::steady_clock;

/// Times of a device in nanoseconds from its start.
class Pace {
 public:
  explicit Pace(const DeviceProfile& profile) : profile_(profile) {}

  /// When a read of so many bytes, asked for now, is over.
  std::int64_t finish(std::uint32_t bytes, std::int64_t now) {
    if (profile_.read_iops_512 == 0) return now;
    const double blocks = static_cast<double>(bytes) / 4096;
    const double seconds = bytes <= 512 ? 1 / profile_.read_iops_512 : std::max(1.0, blocks) / profile_.read_iops_4k;
    free_at_ = std::max(free_at_, static_cast<double>(now)) + seconds * 1e9;
    return static_cast<std::int64_t>(free_at_ + profile_.latency_us * 1e3);
  }

 private:
  DeviceProfile profile_;
  double free_at_ = 0;
};

class RamEngine final : public BlockEngine {
 public:
  RamEngine(const std::vector<StoreFile>& files, const DeviceProfile& profile, std::uint32_t depth)
      : profile_(profile), pace_(profile), depth_(depth) {
    for (const StoreFile& file : files) regions_.push_back(Region::map_file(fmt::format("/proc/self/fd/{}", file.fd)));
  }

  std::string description() const override { return fmt::format("a model of a device ({}) over memory", profile_.name); }
  bool emulated() const override { return true; }
  std::string last_error() const override { return last_error_; }

  bool start(const BlockRequest& request) override {
    if (waiting_.size() >= depth_) return false;
    waiting_.push({pace_.finish(request.bytes, now()), request});
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = 0;
    for (const std::int64_t time = now(); count < most && !waiting_.empty() && waiting_.top().due <= time; waiting_.pop()) {
      const BlockRequest& request = waiting_.top().request;
      outcomes[count++] = {request.tag, copy(request)};
    }
    return count;
  }

 private:
  struct Waiting {
    std::int64_t due;
    BlockRequest request;
    bool operator<(const Waiting& other) const { return due > other.due; }  // the earliest is on top
  };

  std::int64_t now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count(); }

  nvme::Status copy(const BlockRequest& request) {
    const std::uint64_t file = request.offset / kFileStride;
    const std::uint64_t offset = request.offset % kFileStride;
    if (request.opcode != nvme::Opcode::read || file >= regions_.size() || offset >= regions_[file]->bytes()) {
      last_error_ = fmt::format("a write, or a read outside of the store, at offset {:#x}", request.offset);
      return nvme::Status::out_of_range;
    }
    std::memcpy(request.data, regions_[file]->data() + offset,
                std::min<std::uint64_t>(request.bytes, regions_[file]->bytes() - offset));
    return nvme::Status::success;
  }

  DeviceProfile profile_;
  Pace pace_;
  std::uint32_t depth_;
  Clock::time_point start_ = Clock::now();
  std::vector<std::shared_ptr<Region>> regions_;
  std::priority_queue<Waiting> waiting_;
  std::string last_error_;
};

}  // namespace

DeviceProfile parse_device_profile(const std::string& name) {
  const std::array profiles = {
      DeviceProfile{"optane-p5800x", 5.1e6, 1.5e6, 10},
      DeviceProfile{"pm1735", 1.1e6, 1.6e6, 25},
      DeviceProfile{"980pro", 750e3, 750e3, 100},
      DeviceProfile{"unlimited", 0, 0, 0},
  };
  std::string names;
  for (const DeviceProfile& profile : profiles) {
    if (profile.name == name) return profile;
    names += (names.empty() ? "" : ", ") + profile.name;
  }
  throw UsageError(fmt::format("there is no device profile '{}': choose among {}", name, names));
}

std::unique_ptr<BlockEngine> open_ram_engine(const std::vector<StoreFile>& files, const DeviceProfile& profile,
                                             std::uint32_t depth) {
  return std::make_unique<RamEngine>(files, profile, depth);
}

}  // namespace graphrun
