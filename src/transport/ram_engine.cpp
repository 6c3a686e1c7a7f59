// SPDX-License-Identifier: Apache-2.0
// A model of a storage device over memory. A request waits for its share of the rate and for the latency, and then copies.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <queue>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {
namespace {

class RamEngine final : public BlockEngine {
 public:
  RamEngine(std::shared_ptr<RamDevice> device, std::uint32_t depth) : device_(std::move(device)), depth_(depth) {}

  std::string description() const override {
    return fmt::format("a model of a device ({}) over memory", device_->profile().name);
  }
  bool emulated() const override { return true; }

  bool start(const BlockRequest& request) override {
    if (waiting_.size() >= depth_) return false;
    waiting_.push({device_->finish_time(request.bytes), request});
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = 0;
    if (waiting_.empty()) return 0;
    for (const std::int64_t time = device_->now(); count < most && !waiting_.empty() && waiting_.top().due <= time;
         waiting_.pop()) {
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

  nvme::Status copy(const BlockRequest& request) {
    const Region* file = device_->file(request.file());
    if (file == nullptr || !request.fits(file->bytes(), device_->is_writable(request.file()))) {
      last_error_ = request.refusal();
      return nvme::Status::out_of_range;
    }
    std::byte* place = file->data() + request.place();
    if (request.writes()) {
      std::memcpy(place, request.data, request.bytes);
    } else {
      std::memcpy(request.data, place, std::min<std::uint64_t>(request.bytes, file->bytes() - request.place()));
    }
    return nvme::Status::success;
  }

  std::shared_ptr<RamDevice> device_;
  std::uint32_t depth_;
  std::priority_queue<Waiting> waiting_;
};

std::shared_ptr<Region> map(const StoreFile& file) {
  if (!file.writable) return Region::map_file(fmt::format("/proc/self/fd/{}", file.fd));
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) raise_errno<DataError>("cannot examine {}", file.name);
  return Region::map_scratch(file.fd, static_cast<std::size_t>(status.st_size));
}

}  // namespace

DeviceProfile parse_device_profile(const std::string& name) {
  return kDeviceProfiles[choose_name(name, "profile of --storage ram", names_in(kDeviceProfiles))];
}

RamDevice::RamDevice(const DeviceProfile& profile, const std::vector<StoreFile>& files) : profile_(profile) {
  for (const StoreFile& file : files) {
    files_.push_back(map(file));
    writable_.push_back(file.writable);
    // A model of a device should not wait for a real one. Older kernels cannot; then the first reads do.
    constexpr int kPopulateRead = 22;
    ::madvise(files_.back()->data(), files_.back()->bytes(), kPopulateRead);
  }
}

std::int64_t RamDevice::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
}

std::int64_t RamDevice::finish_time(std::uint32_t bytes) {
  if (profile_.read_iops_512 == 0) return 0;
  const double pages = static_cast<double>(bytes) / 4096;
  const double seconds = bytes <= 512 ? 1 / profile_.read_iops_512 : std::max(1.0, pages) / profile_.read_iops_4k;
  const auto cost = static_cast<std::int64_t>(seconds * 1e9);
  const std::int64_t time = now();
  std::int64_t free_at = free_at_.load(std::memory_order_relaxed);
  while (!free_at_.compare_exchange_weak(free_at, std::max(free_at, time) + cost, std::memory_order_relaxed)) {
  }
  return std::max(free_at, time) + cost + static_cast<std::int64_t>(profile_.latency_us * 1e3);
}

std::unique_ptr<BlockEngine> open_ram_engine(std::shared_ptr<RamDevice> device, std::uint32_t depth) {
  return std::make_unique<RamEngine>(std::move(device), depth);
}

}  // namespace graphrun
