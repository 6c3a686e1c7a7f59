// Storage controllers: what consumes the commands of queue pairs and completes them. And the memory of queue pairs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/queue_pair.hpp"
#include "graphrun/transport/route.hpp"

namespace graphrun {

class CachedPages;

/// What storage was asked for since the last reset.
struct PagerCounters {
  std::uint64_t misses = 0;  ///< commands that read
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  RouteCounters routed = {};      ///< of those bytes, and of others that were read where they are
  std::uint64_t ahead_bytes = 0;  ///< of those that were read, what a pager of host threads read ahead
  std::uint64_t ahead_hits = 0;   ///< bytes of these that were used

  PagerCounters& operator+=(const PagerCounters& more) {
    misses += more.misses;
    bytes_read += more.bytes_read;
    bytes_written += more.bytes_written;
    routed += more.routed;
    ahead_bytes += more.ahead_bytes;
    ahead_hits += more.ahead_hits;
    return *this;
  }
};

/// Byte x of file i of a store is at i * kFileStride + x of the store.
inline constexpr std::uint64_t kFileStride = std::uint64_t{1} << 48;

/// A transfer between memory and a store.
struct BlockRequest {
  nvme::Opcode opcode;
  std::uint64_t offset;  ///< bytes from the start of the store
  std::uint32_t bytes;
  void* data;
  std::uint64_t tag;  ///< handed back with the outcome

  bool writes() const { return opcode == nvme::Opcode::write; }
  std::uint64_t file() const { return offset / kFileStride; }
  std::uint64_t place() const { return offset % kFileStride; }  ///< in the file
  /// Whether a file of so many bytes allows it: a read behind the end would give nothing, a write there lengthen the file.
  bool fits(std::uint64_t file_bytes, bool writable) const {
    return writes() ? writable && place() + bytes <= file_bytes : place() < file_bytes;
  }
  /// Why it cannot be, for messages.
  std::string refusal() const;
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
  virtual bool emulated() const { return false; }
  /// Requests begin at multiples of this and are of as many bytes: the largest sector of its disks.
  virtual std::uint32_t sector_bytes() const { return 512; }
  /// False when it can take no more for now.
  virtual bool start(const BlockRequest& request) = 0;
  /// Sends what was started, and returns up to `most` outcomes without waiting.
  virtual std::size_t poll(Done* outcomes, std::size_t most) = 0;
  /// Returns when an outcome can be polled for, or after `most`; at once where an engine cannot tell. Storage of virtual machines
  /// is served by the processors that a spinning thread keeps busy. Any thread, also while another is in the engine.
  virtual void sleep([[maybe_unused]] std::chrono::microseconds most) const {}
  /// What the page cache holds of a file of the store, which is looked at there before it is read; null where it is not.
  virtual CachedPages* cached_pages([[maybe_unused]] std::uint64_t file) { return nullptr; }
  /// Takes its files out of the page cache, where reads may come from there.
  virtual void drop_cached() {}
  /// What became of reads since it was opened.
  virtual RouteCounters routed() const { return {}; }
  /// Why the last failures failed, for messages.
  virtual std::string last_error() const { return last_error_; }

 protected:
  std::string last_error_;
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

/// A file of a store.
struct StoreFile {
  std::string name;                   ///< for messages
  int fd = -1;                        ///< any descriptor of it: it is opened anew, with O_DIRECT where that is possible
  bool writable = false;              ///< within its size; writes are of whole blocks
  std::vector<OpenFile> copies = {};  ///< files with the same bytes, on other disks; only of files that are read
  Striping striping = {};             ///< with parts the file itself is not read
};

/// Reads files with io_uring, O_DIRECT where the file system has it; those that are only read, by the route. Throws DataError and
/// UnavailableError.
std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth,
                                               Route route = Route::direct);

/// What a storage device can do (Qureshi et al., ASPLOS 2023, table 2).
struct DeviceProfile {
  std::string_view name;
  double read_iops_512 = 0;  ///< random reads of 512 bytes; 0: no limit
  double read_iops_4k = 0;   ///< of 4096 bytes
  double latency_us = 0;
};
inline constexpr DeviceProfile kDeviceProfiles[] = {
    {"optane-p5800x", 5.1e6, 1.5e6, 10}, {"pm1735", 1.1e6, 1.6e6, 25}, {"980pro", 750e3, 750e3, 100}, {"unlimited"}};
/// One of kDeviceProfiles. Throws UsageError naming them.
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

/// Queue pairs have two kinds of memory: what the consumer of the commands reads and writes too (commands, completions,
/// doorbells), and what only the submitters use (slots, control).
struct QueueMemory {
  std::size_t shared_bytes;
  std::size_t own_bytes;
};
/// `depth` is a power of two.
QueueMemory queue_memory(std::size_t count, std::uint32_t depth);
/// The memory must be zeroed, and aligned to 64 bytes.
std::vector<QueuePair> make_queue_pairs(std::size_t count, std::uint32_t depth, std::byte* shared, std::byte* own);

/// Queue pairs of host threads, with their memory.
class QueuePairs {
 public:
  /// `depth` is rounded up to a power of two.
  QueuePairs(std::size_t count, std::uint32_t depth);
  std::size_t size() const { return pairs_.size(); }
  const QueuePair& operator[](std::size_t index) const { return pairs_[index]; }
  operator std::span<const QueuePair>() const { return pairs_; }  // NOLINT(google-explicit-constructor): a view of itself

 private:
  Column<std::byte> memory_;
  std::vector<QueuePair> pairs_;
};

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
  /// Throws UsageError, naming the smallest page, when the engine cannot move pages of so few bytes.
  void check_sectors(std::uint32_t page_bytes) const;
  void use_memory(std::span<std::byte> memory) { engine_->use_memory(memory); }
  CachedPages* cached_pages(std::uint64_t file) { return engine_->cached_pages(file); }
  void drop_cached() {
    const std::lock_guard lock(mutex_);
    engine_->drop_cached();
  }
  PagerCounters counters() const;
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

  /// False when the engine is full; `busy` becomes true when there were any.
  bool take_commands(std::size_t queue, bool& busy);
  void complete(std::uint64_t tag, nvme::Status status);

  std::vector<QueuePair> queues_;
  std::unique_ptr<BlockEngine> engine_;
  std::vector<Consumer> consumers_;
  std::uint32_t next_request_ = 1;
  mutable std::mutex mutex_;
  RouteCounters routed_before_reset_;
  std::atomic<std::uint64_t> commands_read_{0}, bytes_read_{0}, bytes_written_{0};
};

}  // namespace graphrun
