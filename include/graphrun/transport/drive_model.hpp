// SPDX-License-Identifier: Apache-2.0
// Models of storage devices: arrays of equal drives over memory, at the pace of real ones.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// The pace of one drive: rates of random requests (Qureshi et al., ASPLOS 2023, table 2), and its latency. The table has only
/// orders of magnitude of latencies; their spreads are assumptions, small for 3D XPoint, which erases no blocks.
struct DeviceProfile {
  struct Rates {
    double iops_512 = 0;  ///< requests of 512 bytes a second; 0: no limit
    double iops_4k = 0;   ///< of 4096 bytes
  };
  std::string_view name;
  Rates reads;
  Rates writes;
  double latency_us = 0;  ///< mean, of a request that no other one delays
  double spread = 0;      ///< standard deviation over mean: a request takes at least 1 - spread of it, the rest is exponential
};
inline constexpr DeviceProfile kDeviceProfiles[] = {{"optane-p5800x", {5.1e6, 1.5e6}, {1e6, 1.5e6}, 10, 0.1},
                                                    {"pm1735", {1.1e6, 1.6e6}, {351e3, 351e3}, 25, 0.3},
                                                    {"980pro", {750e3, 750e3}, {172e3, 172e3}, 100, 0.5},
                                                    {"unlimited", {}, {}}};

/// Equal drives, over which a store is striped in units of kUnitBytes.
struct DriveArray {
  static constexpr std::uint32_t kMost = 64;
  static constexpr std::uint64_t kUnitBytes = 4096;
  DeviceProfile profile;
  std::uint32_t drives = 1;
};
/// Parses "PROFILE" and "PROFILE:DRIVES". Throws UsageError, for an unknown profile with all names.
DriveArray parse_drive_array(const std::string& text);

/// A model of an array of drives: mapped files that are read and written at its pace. Each drive has a queue and limits of its
/// own. Any thread may call any member.
class RamDevice {
 public:
  /// Maps the files. Throws DataError.
  RamDevice(const DriveArray& array, const std::vector<StoreFile>& files);
  const DriveArray& array() const { return array_; }
  /// Returns a file; null when there are fewer.
  const Region* file(std::uint64_t index) const { return index < files_.size() ? files_[index].get() : nullptr; }
  bool is_writable(std::uint64_t index) const { return writable_[index]; }
  /// Returns the nanoseconds since it was made.
  std::int64_t now() const;
  /// Returns when a request ends that comes at `now`, after earlier ones of the same drives. The slowest of its drives decides.
  std::int64_t finish_time(const BlockRequest& request, std::int64_t now);

 private:
  struct alignas(64) Drive {
    std::atomic<std::int64_t> free_at{0};
    std::atomic<std::uint64_t> requests{0};
  };
  std::int64_t finish_time(std::size_t drive, bool writes, std::uint64_t bytes, std::int64_t now);

  DriveArray array_;
  std::vector<Drive> drives_;
  std::vector<std::shared_ptr<Region>> files_;
  std::vector<bool> writable_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Opens an engine of the device; all of them together keep its pace. Results say that it is a model.
std::unique_ptr<BlockEngine> open_ram_engine(std::shared_ptr<RamDevice> device, std::uint32_t depth);

}  // namespace graphrun
