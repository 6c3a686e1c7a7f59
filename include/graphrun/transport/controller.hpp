// SPDX-License-Identifier: Apache-2.0
// Storage controllers, which consume the commands of queue pairs and complete them; and the memory of queue pairs.
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
#include "graphrun/transport/route.hpp"

namespace graphrun {

class CachedPages;

/// Requests to storage since the last reset.
struct PagerCounters {
  std::uint64_t misses = 0;  ///< commands that read
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  RouteCounters routed = {};      ///< of those bytes, and of others that were read where they are
  std::uint64_t ahead_bytes = 0;  ///< of those that were read, what a pager of host threads read ahead
  std::uint64_t ahead_hits = 0;   ///< bytes of these that were used

  using Field = std::uint64_t PagerCounters::*;
  static constexpr Field kFields[] = {&PagerCounters::misses, &PagerCounters::bytes_read, &PagerCounters::bytes_written,
                                      &PagerCounters::ahead_bytes, &PagerCounters::ahead_hits};  ///< all but `routed`
  PagerCounters& operator+=(const PagerCounters& more) {
    for (const auto field : kFields) this->*field += more.*field;
    routed += more.routed;
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
  /// Returns whether a file of `file_bytes` allows it: a read past the end would give nothing, a write there lengthen the file.
  bool fits(std::uint64_t file_bytes, bool writable) const {
    return writes() ? writable && place() + bytes <= file_bytes : place() < file_bytes;
  }
  /// Returns why it is refused, for messages.
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
  /// Names the memory of all later requests, for engines that register it. Nothing may be out.
  virtual void use_memory([[maybe_unused]] std::span<std::byte> memory) {}
  virtual std::string description() const = 0;     ///< what it reads from and how, in words
  virtual bool emulated() const { return false; }  ///< a model of a device: results say so
  /// Returns the largest sector of its disks: offsets and bytes of requests are multiples of it.
  virtual std::uint32_t sector_bytes() const { return 512; }
  /// Starts a request; returns false when it can take no more for now.
  virtual bool start(const BlockRequest& request) = 0;
  /// Sends what was started, and returns up to `most` outcomes without waiting.
  virtual std::size_t poll(Done* outcomes, std::size_t most) = 0;
  /// Sleeps until an outcome can be polled for, `most` at most; returns at once where an engine cannot tell. Spinning would take
  /// the processors that serve storage of virtual machines. Any thread, also while another is in the engine.
  virtual void sleep([[maybe_unused]] std::chrono::microseconds most) const {}
  /// Returns the page cache's part of a file of the store; null where reads do not look there.
  virtual CachedPages* cached_pages([[maybe_unused]] std::uint64_t file) { return nullptr; }
  /// Drops its files from the page cache, where reads may come from there.
  virtual void drop_cached() {}
  /// Returns the reads by route since it was opened.
  virtual RouteCounters routed() const { return {}; }
  /// Returns the reason of the last failures, for messages.
  virtual std::string last_error() const { return last_error_; }

 protected:
  std::string last_error_;
};

struct OpenFile {
  std::string name;  ///< for messages
  int fd = -1;
};

/// Striping of a file over others: unit k lies in part k mod parts, after the part's earlier units.
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

/// Opens files for io_uring, O_DIRECT where the file system has it; files that are only read take `route`. Throws DataError and
/// UnavailableError.
std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth,
                                               Route route = Route::direct);

/// The memory of queue pairs: shared with the consumer of the commands (commands, completions, doorbells), and the submitters'
/// own (slots, control).
struct QueueMemory {
  std::size_t shared_bytes;
  std::size_t own_bytes;
};
/// Returns the bytes of `count` queue pairs. `depth` is a power of two.
QueueMemory queue_memory(std::size_t count, std::uint32_t depth);
/// Makes queue pairs in memory that is zeroed, and aligned to 64 bytes.
std::vector<QueuePair> make_queue_pairs(std::size_t count, std::uint32_t depth, std::byte* shared, std::byte* own);

/// Queue pairs of host threads, with their memory.
class QueuePairs {
 public:
  /// Allocates queue pairs; `depth` is rounded up to a power of two.
  QueuePairs(std::size_t count, std::uint32_t depth);
  std::size_t size() const { return pairs_.size(); }
  const QueuePair& operator[](std::size_t index) const { return pairs_[index]; }
  operator std::span<const QueuePair>() const { return pairs_; }  // NOLINT(google-explicit-constructor): a view of itself

 private:
  Column<std::byte> memory_;
  std::vector<QueuePair> pairs_;
};

/// A consumer that serves the commands of queue pairs through an engine, alone. On the host the threads that wait for commands
/// call poll(); a GPU has host threads that do nothing else.
class StorageController {
 public:
  /// Serves queue pairs, whose memory outlives it.
  StorageController(std::span<const QueuePair> queues, std::unique_ptr<BlockEngine> engine);

  /// Takes new commands, starts them, and writes completions. Returns whether there was anything to do; at once when another
  /// thread is at it.
  bool poll();

  const BlockEngine& engine() const { return *engine_; }
  /// Throws UsageError, naming the smallest page, when the engine cannot move pages of `page_bytes`.
  void check_sectors(std::uint32_t page_bytes) const;
  void use_memory(std::span<std::byte> memory) { engine_->use_memory(memory); }
  CachedPages* cached_pages(std::uint64_t file) { return engine_->cached_pages(file); }
  void drop_cached() {
    const std::lock_guard lock(mutex_);
    engine_->drop_cached();
  }
  PagerCounters counters() const;
  void reset_counters();
  std::string last_error();

 private:
  struct Consumer {
    std::uint32_t head = 0;       ///< of commands, mod 2 depth
    std::uint64_t completed = 0;  ///< place in the completion queue
    /// For each command id the number of the request that is out, or 0: an outcome that comes twice is found by it.
    std::vector<std::uint32_t> requests;
  };

  /// Takes commands. Returns false when the engine is full; sets `busy` when there were any.
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
