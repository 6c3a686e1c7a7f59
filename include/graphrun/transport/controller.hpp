// Storage controllers: what consumes the commands of queue pairs and completes them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/queue_pair.hpp"

namespace graphrun {

/// A transfer between memory and a store.
struct BlockRequest {
  nvme::Opcode opcode;
  std::uint64_t offset;  ///< bytes from the start of the store
  std::uint32_t bytes;
  void* data;
  std::uint64_t tag;  ///< handed back with the outcome
};

/// Moves blocks, asynchronously. For one thread at a time.
class BlockEngine {
 public:
  struct Done {
    std::uint64_t tag;
    nvme::Status status;
  };

  virtual ~BlockEngine() = default;
  /// Requests will move bytes in here only, which some engines want to know in advance. Nothing may be out.
  virtual void use_memory([[maybe_unused]] std::span<std::byte> memory) {}
  /// What it reads from and how, in words.
  virtual std::string description() const = 0;
  /// True for a model of a device: results say so.
  virtual bool emulated() const = 0;
  /// Requests begin at multiples of this and are of as many bytes: the largest sector of its disks.
  virtual std::uint32_t sector_bytes() const { return 512; }
  /// False when it can take no more for now.
  virtual bool start(const BlockRequest& request) = 0;
  /// Sends what was started, and returns up to `most` outcomes without waiting.
  virtual std::size_t poll(Done* outcomes, std::size_t most) = 0;
  /// Why the last failures failed, for messages.
  virtual std::string last_error() const = 0;
};

struct OpenFile {
  std::string name;  ///< for messages
  int fd = -1;
};

/// A file's bytes dealt out over others: unit k of it lies in part k mod parts, behind the units that went there before.
struct Striping {
  using Part = OpenFile;
  std::vector<Part> parts;
  std::uint64_t unit_bytes = 0;   ///< a power of two, at least 4096
  std::uint64_t data_offset = 0;  ///< where the first unit begins in each part
};

/// A file of a store. Byte x of file i is at i * kFileStride + x of the store.
struct StoreFile {
  std::string name;                   ///< for messages
  int fd = -1;                        ///< any descriptor of it: it is opened anew, with O_DIRECT where that is possible
  bool writable = false;              ///< within its size; writes are of whole blocks
  std::vector<OpenFile> copies = {};  ///< files with the same bytes, on other disks; only of files that are read
  Striping striping = {};             ///< with parts the file itself is not read
};
inline constexpr std::uint64_t kFileStride = std::uint64_t{1} << 48;

/// Reads files with io_uring, O_DIRECT where the file system has it. Throws DataError and UnavailableError.
std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth);

/// What a storage device can do (Qureshi et al., ASPLOS 2023, table 2).
struct DeviceProfile {
  std::string name;
  double read_iops_512 = 0;  ///< random reads of 512 bytes; 0: no limit
  double read_iops_4k = 0;   ///< of 4096 bytes
  double latency_us = 0;
};
/// "optane-p5800x", "pm1735", "980pro" or "unlimited". Throws UsageError naming them.
DeviceProfile parse_device_profile(const std::string& name);

/// A model of a storage device: mapped files that are read at its pace. Any thread may call any member.
class RamDevice {
 public:
  /// Throws DataError.
  RamDevice(const DeviceProfile& profile, const std::vector<StoreFile>& files);
  const DeviceProfile& profile() const { return profile_; }
  /// Null when there are fewer.
  const Region* file(std::uint64_t index) const { return index < files_.size() ? files_[index].get() : nullptr; }
  bool is_writable(std::uint64_t index) const { return writable_[index]; }
  /// Nanoseconds since it was made.
  std::int64_t now() const;
  /// When a read of so many bytes, asked for now, is over.
  std::int64_t finish_time(std::uint32_t bytes);

 private:
  DeviceProfile profile_;
  std::vector<std::shared_ptr<Region>> files_;
  std::vector<bool> writable_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> free_at_{0};
};

/// One of the ways into the device; what goes through all of them together keeps its pace. Results say that it is a model.
std::unique_ptr<BlockEngine> open_ram_engine(std::shared_ptr<RamDevice> device, std::uint32_t depth);

/// How often what goes wrong, out of 1000 requests each.
struct FaultPlan {
  std::uint64_t seed = 1;
  int delayed = 0;      ///< outcomes that come many polls later, and so in another order
  int dropped = 0;      ///< outcomes that never come
  int duplicated = 0;   ///< outcomes that come twice, the second time much later
  int failing = 0;      ///< requests that end with an error
  int short_reads = 0;  ///< requests that fill in half of what was asked for, and say so
};

/// Another engine with faults: for tests of everything above it.
std::unique_ptr<BlockEngine> make_faulty_engine(std::unique_ptr<BlockEngine> inner, const FaultPlan& plan);

/// Serves the commands of queue pairs, of which it is the only consumer, through an engine. On the host a thread that waits for
/// a command calls poll(), so that no thread has to do only that. For a GPU there are host threads that do nothing else.
class StorageController {
 public:
  /// The queue pairs' memory must outlive it.
  StorageController(std::span<const QueuePair> queues, std::unique_ptr<BlockEngine> engine);

  /// Takes new commands, starts them, and writes completions. Returns at once when another thread is at it. True when there
  /// was anything to do.
  bool poll();

  const BlockEngine& engine() const { return *engine_; }
  void use_memory(std::span<std::byte> memory) { engine_->use_memory(memory); }
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }
  /// That read.
  std::uint64_t commands() const { return commands_.load(std::memory_order_relaxed); }
  void reset_counters();
  /// Reason of the last failure.
  std::string last_error();

 private:
  struct Consumer {
    std::uint32_t head = 0;       ///< of commands, mod 2 depth
    std::uint64_t completed = 0;  ///< place in the completion queue
    /// For each command id the number of the request that is out, or 0: an outcome that comes twice is found by it.
    std::vector<std::uint32_t> requests;
  };

  enum class Taken { none, some, engine_full };
  Taken take_commands(std::size_t queue);
  void complete(std::uint64_t tag, nvme::Status status);

  std::vector<QueuePair> queues_;
  std::unique_ptr<BlockEngine> engine_;
  std::vector<Consumer> consumers_;
  std::uint32_t next_request_ = 1;
  std::mutex mutex_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
  std::atomic<std::uint64_t> commands_{0};
};

}  // namespace graphrun
