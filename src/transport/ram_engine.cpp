// SPDX-License-Identifier: Apache-2.0
// A model of storage devices over memory. A request waits for its share of the rate and for the latency, and then copies.
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
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/drive_model.hpp"

namespace graphrun {
namespace {

class RamEngine final : public BlockEngine {
 public:
  RamEngine(std::shared_ptr<RamDevice> device, std::uint32_t depth) : device_(std::move(device)), depth_(depth) {}

  std::string description() const override {
    const DriveArray& array = device_->array();
    const std::string drives = array.drives == 1 ? "a drive" : fmt::format("{} striped drives", array.drives);
    return fmt::format("a model of {} ({}) over memory", drives, array.profile.name);
  }
  bool emulated() const override { return true; }

  bool start(const BlockRequest& request) override {
    if (waiting_.size() >= depth_) return false;
    waiting_.push({device_->finish_time(request, device_->now()), request});
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

DriveArray parse_drive_array(const std::string& text) {
  const std::size_t colon = text.find(':');
  DriveArray array;
  array.profile = kDeviceProfiles[choose_name(text.substr(0, colon), "profile of --storage ram", names_in(kDeviceProfiles))];
  if (colon != std::string::npos)
    array.drives =
        static_cast<std::uint32_t>(parse_whole(text.substr(colon + 1), "N in --storage ram:PROFILE:N", 1, DriveArray::kMost));
  return array;
}

RamDevice::RamDevice(const DriveArray& array, const std::vector<StoreFile>& files) : array_(array), drives_(array.drives) {
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

std::int64_t RamDevice::finish_time(const BlockRequest& request, std::int64_t now) {
  constexpr std::uint64_t kUnit = DriveArray::kUnitBytes;
  const std::uint64_t begin = request.place(), end = begin + request.bytes;
  const std::uint64_t first = begin / kUnit, last = (std::max(end, begin + 1) - 1) / kUnit;
  const std::uint64_t count = drives_.size();
  std::int64_t finish = now;
  for (std::uint64_t unit = first; unit <= last && unit < first + count; ++unit) {
    const std::uint64_t units = (last - unit) / count + 1;  // on this drive
    std::uint64_t bytes = units * kUnit;
    if (unit == first) bytes -= begin - first * kUnit;
    if (unit + (units - 1) * count == last) bytes -= (last + 1) * kUnit - end;
    const std::uint64_t drive = (request.file() + unit) % count;
    finish = std::max(finish, finish_time(static_cast<std::size_t>(drive), request.writes(), bytes, now));
  }
  return finish;
}

std::int64_t RamDevice::finish_time(std::size_t index, bool writes, std::uint64_t bytes, std::int64_t now) {
  const DeviceProfile& profile = array_.profile;
  const DeviceProfile::Rates& rates = writes ? profile.writes : profile.reads;
  if (rates.iops_512 == 0) return now;
  Drive& drive = drives_[index];
  const double pages = static_cast<double>(bytes) / 4096;
  const double seconds = bytes <= 512 ? 1 / rates.iops_512 : std::max(1.0, pages) / rates.iops_4k;
  const auto cost = static_cast<std::int64_t>(seconds * 1e9);
  const std::uint64_t number = drive.requests.fetch_add(1, std::memory_order_relaxed);
  const double delay = 1 - profile.spread + profile.spread * exponential(splitmix64(index, number, 0));
  std::int64_t free_at = drive.free_at.load(std::memory_order_relaxed);
  while (!drive.free_at.compare_exchange_weak(free_at, std::max(free_at, now) + cost, std::memory_order_relaxed)) {
  }
  return std::max(free_at, now) + cost + static_cast<std::int64_t>(profile.latency_us * delay * 1e3);
}

std::unique_ptr<BlockEngine> open_ram_engine(std::shared_ptr<RamDevice> device, std::uint32_t depth) {
  return std::make_unique<RamEngine>(std::move(device), depth);
}

}  // namespace graphrun
