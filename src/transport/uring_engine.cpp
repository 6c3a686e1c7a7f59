// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"
#include "transport/read_ahead.hpp"
#include "transport/route_balance.hpp"
#include "transport/store_map.hpp"

namespace graphrun {
namespace {

/// Returns the way out of limits on rings.
const char* hint(int error) {
  if (error == EMFILE) return " (a larger ulimit -n allows more)";
  if (error == ENOMEM) return " (kernels that count rings as locked memory need a larger ulimit -l)";
  return "";
}

constexpr std::chrono::milliseconds kOldestLook{500};  // at the page cache, before a read
constexpr std::uint32_t kLongReadBytes = 64 << 10;     // takes so long that the page cache is asked again before it
constexpr std::uint32_t kMostCopiedAtOnce = 1 << 20;   // from it, before outcomes are handed on
constexpr double kDearTouch = 0.25;                    // in copies: what a copy by the kernel takes more than one in the mapping

/// Pages that are no longer cached are read past the page cache. A read of a page that marks another reader's read-ahead makes
/// the kernel read on, also after POSIX_FADV_RANDOM; with RWF_DONTCACHE (Linux 6.14, on some file systems; older headers do not
/// name it) those pages go again once they were copied.
constexpr int kCopyIfThere = RWF_NOWAIT;
constexpr int kCopyAndLetGo = RWF_NOWAIT | 0x80;

/// Returns how long the calling thread ran.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Returns how long the calling thread was ready to run and had no processor, since it began; 0 where the kernel does not count.
std::chrono::nanoseconds time_without_processor() {
  thread_local const OwnedFd file(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  if (!file.is_open() || ::pread(file.get(), text.data(), text.size() - 1, 0) <= 0) return {};
  char* ran_end = nullptr;
  std::strtoull(text.data(), &ran_end, 10);
  return std::chrono::nanoseconds(std::strtoull(ran_end, nullptr, 10));
}

/// The page cache's side of a file.
struct RoutedFile {
  OwnedFd buffered;
  std::unique_ptr<CachedPages> cached;
  int copy_flags = kCopyAndLetGo;  ///< of a read that copies what is cached
};

class UringEngine final : public BlockEngine {
 public:
  /// Takes `depth` requests at a time of clients, whose costs are measured, and `more` besides.
  UringEngine(const std::vector<StoreFile>& files, std::uint32_t depth, std::uint32_t more, Route route)
      : store_(files),
        route_(route),
        depth_(depth),
        operations_(std::size_t{depth} + more),
        transfers_(std::max<std::size_t>(operations_.size(), most_transfers())) {
    const int status = ::io_uring_queue_init(static_cast<unsigned>(transfers_.size()), &ring_, 0);
    if (status == -EMFILE || status == -ENFILE)
      raise<RunError>("storage 'file' cannot open io_uring: {}{}", std::strerror(-status), hint(-status));
    if (status < 0)
      raise<UnavailableError>("storage 'file' needs io_uring, which this system refuses: {}{}", std::strerror(-status),
                              hint(-status));
    free_operations_ = all_of(operations_);
    free_transfers_ = all_of(transfers_);
    // Spares the kernel looking a file up with every read; where it is refused, reads work all the same.
    std::vector<int> descriptors;
    for (const DirectFile& file : store_.files()) descriptors.push_back(file.fd.get());
    if (route_ != Route::direct) open_routes();
    for (const RoutedFile& file : routed_) descriptors.push_back(file.buffered.get());
    registered_ = ::io_uring_register_files(&ring_, descriptors.data(), static_cast<unsigned>(descriptors.size())) == 0;
  }
  ~UringEngine() override { ::io_uring_queue_exit(&ring_); }
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;

  std::string description() const override {
    std::string text;
    for (const DirectFile& file : store_.files()) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", file.name, file.direct ? "" : " (through the page cache)");
    }
    constexpr const char* kBy[] = {"with O_DIRECT", "through the page cache",
                                   "with O_DIRECT, and from the page cache what it holds"};
    return fmt::format("{} by io_uring {}", text, kBy[static_cast<std::size_t>(route_)]);
  }
  CachedPages* cached_pages(std::uint64_t file) override {
    const auto index = store_.only_file(file);
    return index && *index < routed_.size() ? routed_[*index].cached.get() : nullptr;
  }
  void drop_cached() override {
    for (const RoutedFile& file : routed_) file.cached->drop();
  }
  RouteCounters routed() const override { return counters_; }
  /// Returns whether all files are read past the page cache where it does not hold them.
  bool is_direct() const { return std::ranges::all_of(store_.files(), &DirectFile::direct); }
  std::int64_t last_change(std::uint64_t file) const { return store_.last_change(file); }

  std::uint32_t sector_bytes() const override {
    std::uint32_t largest = 0;
    for (const DirectFile& file : store_.files()) largest = std::max(largest, file.sector_bytes);
    return largest;
  }

  /// Sleeps by a system call that touches nothing of the ring that poll() or start() use.
  void sleep(std::chrono::microseconds most) const override {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(most).count();
    __kernel_timespec timeout{.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
    io_uring_getevents_arg how{};
    how.ts = reinterpret_cast<std::uint64_t>(&timeout);
    ::io_uring_enter2(static_cast<unsigned>(ring_.ring_fd), 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
                      reinterpret_cast<sigset_t*>(&how), sizeof(how));
  }

  bool start(const BlockRequest& request) override {
    pieces_.clear();
    store_.cut(request, pieces_);
    if (pieces_.size() > transfers_.size()) pieces_.clear();  // judged like other requests that cannot be
    if (pieces_.empty()) pieces_.push_back({});
    const bool routed = route_ == Route::automatic && !request.writes() && pieces_.front().bytes != 0;
    RouteCounters seen;
    if (routed) seen = route_pieces();
    counters_.dirty_bytes += std::exchange(seen.dirty_bytes, 0);  // seen once, also where the request has to come again
    const std::size_t entries = pieces_.size();
    if (free_operations_.empty() || free_transfers_.size() < entries || ::io_uring_sq_space_left(&ring_) < entries) return false;
    counters_ += seen;
    const std::uint32_t operation = take(free_operations_);
    operations_[operation] = {request, static_cast<std::uint32_t>(entries), nvme::Status::success};
    for (const StoreMap::Piece& piece : pieces_) {
      const std::uint32_t transfer = take(free_transfers_);
      transfers_[transfer] = {operation, piece};
      piece.cached ? queue_copy(transfer) : prepare(transfer);
    }
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = 0;
    do {
      submit();  // storage works while pages are copied
      const auto begun = copies_.empty() ? std::chrono::nanoseconds{} : processor_time();
      std::uint32_t copied = 0;
      while (!copies_.empty() && copied < kMostCopiedAtOnce && count < most) {
        const std::uint32_t transfer = copies_.front();
        copies_.pop_front();
        balance_.take_copy(transfers_[transfer].piece.bytes);
        copied += transfers_[transfer].piece.bytes;
        count += copy(transfer, outcomes + count);
      }
      submit();
      if (copied >= kLongReadBytes) balance_.end_copies(costs(), copied, processor_time() - begun);
      read_bytes_ = 0;
      for (io_uring_cqe* entry = nullptr; count < most && ::io_uring_peek_cqe(&ring_, &entry) == 0;) {
        const auto index = static_cast<std::uint32_t>(::io_uring_cqe_get_data64(entry));
        const int result = entry->res;
        ::io_uring_cqe_seen(&ring_, entry);
        if (const StoreMap::Piece& piece = transfers_[index].piece; piece.cached && !has_come(piece, result)) {
          const bool again = result == -EOPNOTSUPP && transfers_[index].copy_flags == kCopyAndLetGo;
          if (again) routed_[piece.file].copy_flags = kCopyIfThere;
          again ? queue_copy(index) : read_past_cache(index);
        } else {
          count += finish(index, result, outcomes + count);
        }
      }
      if (read_bytes_ != 0) {
        const auto now = RouteBalance::Clock::now();
        balance_.end_reads(costs(), read_bytes_, now);
        if (balance_.is_time_for_wait(now)) balance_.note_wait(costs(), now, time_without_processor());
      }
      submit();
    } while (count == 0 && !copies_.empty());
    return count;
  }

 private:
  struct Operation {
    BlockRequest request;
    std::uint32_t out;  ///< transfers
    nvme::Status status;
  };
  /// A request to the kernel: a piece of an operation; of no bytes when the operation is not allowed.
  struct Transfer {
    std::uint32_t operation;
    StoreMap::Piece piece;
    int copy_flags = 0;  ///< that it was sent with
  };

  template <class T>
  static std::vector<std::uint32_t> all_of(const std::vector<T>& slots) {
    std::vector<std::uint32_t> indices(slots.size());
    std::iota(indices.rbegin(), indices.rend(), 0u);
    return indices;
  }
  static std::uint32_t take(std::vector<std::uint32_t>& free) {
    const std::uint32_t index = free.back();
    free.pop_back();
    return index;
  }

  /// Returns the most transfers at once: more than the pieces of a read, where some of it is cached.
  std::size_t most_transfers() const {
    const std::size_t pieces = store_.most_pieces(kMostCommandBytes);
    return route_ == Route::automatic ? pieces + kMostCommandBytes / cache_page_bytes() : pieces;
  }

  /// Opens the page cache's side of files that are only read.
  void open_routes() {
    for (const DirectFile& file : store_.files()) {
      if (file.writable) raise<UsageError>("{} is written to, and so is read past the page cache only", file.name);
      OwnedFd buffered(::open(fmt::format("/proc/self/fd/{}", file.fd.get()).c_str(), O_RDONLY | O_CLOEXEC));
      if (!buffered.is_open()) raise_errno<DataError>("cannot open {}", file.name);
      // An evicted page is not to come back with its neighbours.
      if (route_ == Route::automatic) ::posix_fadvise(buffered.get(), 0, 0, POSIX_FADV_RANDOM);
      auto cached = std::make_unique<CachedPages>(file.name, buffered.get(), file.bytes);
      if (route_ == Route::automatic && file.direct) cached->measure_costs(depth_);
      routed_.push_back({std::move(buffered), std::move(cached)});
    }
  }

  /// Cuts pieces_ where parts of them come from the page cache and others do not. Returns what that adds to the counters.
  RouteCounters route_pieces() {
    RouteCounters seen;
    whole_.swap(pieces_);
    pieces_.clear();
    for (const StoreMap::Piece& piece : whole_) {
      CachedPages& cached = *routed_[piece.file].cached;
      const std::uint64_t end = piece.offset + piece.bytes;
      seen.dirty_bytes += cached.look(piece.offset, end, kOldestLook);
      if (piece.bytes >= kLongReadBytes && cached.has_none(piece.offset, end)) {
        seen.dirty_bytes += cached.look_for_more(piece.offset, end);
      }
      const bool all = cached.can_tell() && cached.has_all(piece.offset, end);
      if (all || cached.has_none(piece.offset, end)) {
        pieces_.push_back(piece);
        pieces_.back().cached = all;
      } else {
        split(piece, seen);
      }
    }
    for (StoreMap::Piece& piece : pieces_) {
      if (!piece.cached || !is_better_read(piece)) continue;
      piece.cached = false;
      ++seen.merges;
      seen.merged_bytes += piece.bytes;
    }
    if (pieces_.size() <= transfers_.size()) return seen;
    pieces_.swap(whole_);  // longer than commands are: it goes one way
    return {};
  }

  /// Returns whether cached bytes are read past the page cache all the same: many of them, none of which is still to be written.
  bool is_better_read(const StoreMap::Piece& piece) {
    if (piece.bytes < kLongReadBytes || !store_.files()[piece.file].direct) return false;
    if (!balance_.is_storage_sooner(costs(), piece.bytes)) return false;
    const auto count = count_cached(routed_[piece.file].buffered.get(), piece.offset, piece.offset + piece.bytes);
    if (!count || count->dirty != 0) return false;
    balance_.prefer_storage(piece.bytes);
    return true;
  }

  /// Adds the parts of a piece that is partly cached.
  void split(const StoreMap::Piece& piece, RouteCounters& seen) {
    const std::uint64_t page = cache_page_bytes();
    const std::uint64_t end = piece.offset + piece.bytes;
    const MergedRuns merged = routed_[piece.file].cached->route(piece.offset, end, static_cast<std::uint32_t>(page), runs_);
    seen.merges += merged.runs;
    seen.merged_bytes += merged.pages * page;
    seen.splits += runs_.size() - 1;
    std::uint64_t at = piece.offset;
    for (const RouteRun& run : runs_) {
      const std::uint64_t next = std::min(end, at + run.pages * page);
      pieces_.push_back({piece.file, at, static_cast<std::uint32_t>(next - at),
                         piece.data_offset + static_cast<std::uint32_t>(at - piece.offset), run.cached});
      at = next;
    }
  }

  const TransferCosts& costs() const { return routed_.front().cached->costs(); }
  void queue_copy(std::uint32_t transfer) {
    balance_.queue_copy(transfers_[transfer].piece.bytes);
    copies_.push_back(transfer);
  }
  /// Copies cached bytes, or asks for them. Returns 1 for the last transfer of an operation, and writes its outcome then.
  std::size_t copy(std::uint32_t transfer, Done* outcome) {
    const auto& [operation, piece, sent_with] = transfers_[transfer];
    const auto& [buffered, cached, copy_flags] = routed_[piece.file];
    const bool kernel_copies = copy_flags == kCopyAndLetGo ? cached->touches_dearer_than(kDearTouch) : !cached->touches_cheaply();
    if (kernel_copies) {
      prepare(transfer);
      return 0;
    }
    const std::uint64_t bytes = bytes_of(piece);
    std::byte* const to = static_cast<std::byte*>(operations_[operation].request.data) + piece.data_offset;
    if (cached->copy(piece.offset, piece.offset + bytes, to)) return finish(transfer, static_cast<int>(bytes), outcome);
    read_past_cache(transfer);
    return 0;
  }
  void read_past_cache(std::uint32_t transfer) {
    StoreMap::Piece& piece = transfers_[transfer].piece;
    routed_[piece.file].cached->forget(piece.offset, piece.offset + piece.bytes);
    piece.cached = false;
    prepare(transfer);
  }

  /// Returns whether a transfer is complete: fewer bytes than asked for are right only where the file ends.
  bool has_come(const StoreMap::Piece& piece, int result) const {
    return result >= 0 && static_cast<std::uint64_t>(result) >= bytes_of(piece);
  }
  std::uint64_t bytes_of(const StoreMap::Piece& piece) const {
    return std::min<std::uint64_t>(piece.bytes, store_.files()[piece.file].bytes - piece.offset);
  }

  /// Counts a finished transfer. Returns 1 for the last one of an operation, and writes its outcome then.
  std::size_t finish(std::uint32_t index, int result, Done* outcome) {
    const auto [of, piece, sent_with] = transfers_[index];
    free_transfers_.push_back(index);
    Operation& operation = operations_[of];
    const nvme::Status status = judge(operation.request, piece, result);
    if (status != nvme::Status::success) operation.status = status;
    if (!operation.request.writes()) {
      const bool past = !piece.cached && route_ != Route::page_cache && store_.files()[piece.file].direct;
      (past ? counters_.direct_bytes : counters_.cached_bytes) += piece.bytes;
      if (!piece.cached && route_ == Route::automatic) read_bytes_ += piece.bytes;
    }
    if (--operation.out != 0) return 0;
    *outcome = {operation.request.tag, operation.status};
    free_operations_.push_back(of);
    return 1;
  }

  void submit() {
    if (unsent_ == 0) return;
    const int sent = ::io_uring_submit(&ring_);
    if (sent > 0) unsent_ -= std::min(unsent_, static_cast<unsigned>(sent));
  }

  void prepare(std::uint32_t transfer) {
    const auto& [operation, piece, sent_with] = transfers_[transfer];
    const BlockRequest& request = operations_[operation].request;
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    const bool buffered = route_ == Route::page_cache || piece.cached;
    const std::size_t index = piece.file + (buffered ? store_.files().size() : 0);
    const int own = buffered && piece.bytes != 0 ? routed_[piece.file].buffered.get() : store_.files()[piece.file].fd.get();
    const int fd = registered_ ? static_cast<int>(index) : own;
    std::byte* data = static_cast<std::byte*>(request.data) + piece.data_offset;
    if (piece.bytes == 0) {
      ::io_uring_prep_nop(entry);  // judged when it comes back
    } else if (request.writes()) {
      ::io_uring_prep_write(entry, fd, data, piece.bytes, piece.offset);
    } else {
      ::io_uring_prep_read(entry, fd, data, piece.bytes, piece.offset);
      if (!piece.cached && route_ == Route::automatic) balance_.start_read(piece.bytes, RouteBalance::Clock::now());
      if (piece.cached) entry->rw_flags = transfers_[transfer].copy_flags = routed_[piece.file].copy_flags;
    }
    if (registered_ && piece.bytes != 0) entry->flags |= IOSQE_FIXED_FILE;
    ::io_uring_sqe_set_data64(entry, transfer);
    ++unsent_;
  }

  nvme::Status judge(const BlockRequest& request, const StoreMap::Piece& piece, int result) {
    if (piece.bytes == 0) {
      last_error_ = request.refusal();
      return nvme::Status::out_of_range;
    }
    const DirectFile& file = store_.files()[piece.file];
    const bool writes = request.writes();
    const std::uint64_t expected = writes ? piece.bytes : bytes_of(piece);
    if (result >= 0 && static_cast<std::uint64_t>(result) >= expected) return nvme::Status::success;
    last_error_ = result >= 0 && !writes
                      ? fmt::format("{} gave {} bytes instead of {} at offset {}: it became shorter", file.name, result, expected,
                                    piece.offset)
                      : fmt::format("{} {} bytes at offset {} of {}: {}", writes ? "writing" : "reading", piece.bytes,
                                    piece.offset, file.name, result < 0 ? std::strerror(-result) : "only a part was taken");
    return writes ? nvme::Status::write_fault : nvme::Status::unrecovered_read_error;
  }

  StoreMap store_;
  Route route_;
  std::uint32_t depth_;
  std::vector<RoutedFile> routed_;  ///< as the store's files; none with Route::direct
  RouteCounters counters_;
  RouteBalance balance_;          ///< with Route::automatic
  std::uint64_t read_bytes_ = 0;  ///< that storage ended in this poll
  bool registered_ = false;
  io_uring ring_{};
  unsigned unsent_ = 0;
  std::vector<Operation> operations_;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> free_operations_;
  std::vector<std::uint32_t> free_transfers_;
  std::deque<std::uint32_t> copies_;     ///< transfers that are to come from the page cache
  std::vector<StoreMap::Piece> pieces_;  ///< of the request that is being started
  std::vector<StoreMap::Piece> whole_;   ///< before they were cut by their routes
  std::vector<RouteRun> runs_;           ///< of a piece
};

}  // namespace

std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth, Route route) {
  constexpr ReadAheadLimits kLimits;
  const bool may_read_ahead = route == Route::automatic;
  auto engine = std::make_unique<UringEngine>(files, depth, may_read_ahead ? kLimits.chunks : 0, route);
  if (!may_read_ahead || !engine->is_direct()) return engine;
  auto last_change = [inner = engine.get()](std::uint64_t file) { return inner->last_change(file); };
  return read_streams_ahead(std::move(engine), std::move(last_change), kLimits);
}

}  // namespace graphrun
