#include <fmt/format.h>
#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"
#include "transport/store_map.hpp"

namespace graphrun {
namespace {

/// What helps against limits on rings.
const char* hint(int error) {
  if (error == EMFILE) return " (a larger ulimit -n allows more)";
  if (error == ENOMEM) return " (kernels that count rings as locked memory need a larger ulimit -l)";
  return "";
}

class UringEngine final : public BlockEngine {
 public:
  UringEngine(const std::vector<StoreFile>& files, std::uint32_t depth)
      : store_(files), operations_(depth), transfers_(std::max<std::size_t>(depth, store_.most_pieces(kMostCommandBytes))) {
    const int status = ::io_uring_queue_init(static_cast<unsigned>(transfers_.size()), &ring_, 0);
    if (status == -EMFILE || status == -ENFILE) {
      throw RunError(fmt::format("storage 'file' cannot open io_uring: {}{}", std::strerror(-status), hint(-status)));
    }
    if (status < 0) {
      throw UnavailableError(
          fmt::format("storage 'file' needs io_uring, which this system refuses: {}{}", std::strerror(-status), hint(-status)));
    }
    free_operations_ = all_of(operations_);
    free_transfers_ = all_of(transfers_);
    // Spares the kernel looking a file up with every read; where it is refused, reads work all the same.
    std::vector<int> descriptors;
    for (const DirectFile& file : store_.files()) descriptors.push_back(file.fd.get());
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
    return text + " by io_uring with O_DIRECT";
  }
  std::uint32_t sector_bytes() const override {
    std::uint32_t largest = 0;
    for (const DirectFile& file : store_.files()) largest = std::max(largest, file.sector_bytes);
    return largest;
  }

  /// Only a system call: it touches nothing of the ring that poll() or start() use.
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
    const std::size_t entries = pieces_.size();
    if (free_operations_.empty() || free_transfers_.size() < entries || ::io_uring_sq_space_left(&ring_) < entries) return false;
    const std::uint32_t operation = take(free_operations_);
    operations_[operation] = {request, static_cast<std::uint32_t>(entries), nvme::Status::success};
    for (const StoreMap::Piece& piece : pieces_) prepare(operation, request, piece);
    unsent_ += static_cast<unsigned>(entries);
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    if (unsent_ != 0) {
      const int sent = ::io_uring_submit(&ring_);
      if (sent > 0) unsent_ -= std::min(unsent_, static_cast<unsigned>(sent));
    }
    std::size_t count = 0;
    for (io_uring_cqe* entry = nullptr; count < most && ::io_uring_peek_cqe(&ring_, &entry) == 0;) {
      const auto index = static_cast<std::uint32_t>(::io_uring_cqe_get_data64(entry));
      const int result = entry->res;
      ::io_uring_cqe_seen(&ring_, entry);
      const auto [of, piece] = transfers_[index];
      free_transfers_.push_back(index);
      Operation& operation = operations_[of];
      const nvme::Status status = judge(operation.request, piece, result);
      if (status != nvme::Status::success) operation.status = status;
      if (--operation.out != 0) continue;
      outcomes[count++] = {operation.request.tag, operation.status};
      free_operations_.push_back(of);
    }
    return count;
  }

 private:
  struct Operation {
    BlockRequest request;
    std::uint32_t out;  ///< transfers
    nvme::Status status;
  };
  /// What the kernel is asked for: a piece of an operation; of no bytes when the operation cannot be.
  struct Transfer {
    std::uint32_t operation;
    StoreMap::Piece piece;
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

  void prepare(std::uint32_t operation, const BlockRequest& request, const StoreMap::Piece& piece) {
    const std::uint32_t transfer = take(free_transfers_);
    transfers_[transfer] = {operation, piece};
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    const int fd = registered_ ? static_cast<int>(piece.file) : store_.files()[piece.file].fd.get();
    std::byte* data = static_cast<std::byte*>(request.data) + piece.data_offset;
    if (piece.bytes == 0) {
      ::io_uring_prep_nop(entry);  // judged when it comes back
    } else if (request.writes()) {
      ::io_uring_prep_write(entry, fd, data, piece.bytes, piece.offset);
    } else {
      ::io_uring_prep_read(entry, fd, data, piece.bytes, piece.offset);
    }
    if (registered_ && piece.bytes != 0) entry->flags |= IOSQE_FIXED_FILE;
    ::io_uring_sqe_set_data64(entry, transfer);
  }

  /// Fewer bytes than asked for are right only where the file ends.
  nvme::Status judge(const BlockRequest& request, const StoreMap::Piece& piece, int result) {
    if (piece.bytes == 0) {
      last_error_ = request.refusal();
      return nvme::Status::out_of_range;
    }
    const DirectFile& file = store_.files()[piece.file];
    const bool writes = request.writes();
    const std::uint64_t expected = writes ? piece.bytes : std::min<std::uint64_t>(piece.bytes, file.bytes - piece.offset);
    if (result >= 0 && static_cast<std::uint64_t>(result) >= expected) return nvme::Status::success;
    last_error_ = result >= 0 && !writes
                      ? fmt::format("{} gave {} bytes instead of {} at offset {}: it became shorter", file.name, result, expected,
                                    piece.offset)
                      : fmt::format("{} {} bytes at offset {} of {}: {}", writes ? "writing" : "reading", piece.bytes,
                                    piece.offset, file.name, result < 0 ? std::strerror(-result) : "only a part was taken");
    return writes ? nvme::Status::write_fault : nvme::Status::unrecovered_read_error;
  }

  StoreMap store_;
  bool registered_ = false;
  io_uring ring_{};
  unsigned unsent_ = 0;
  std::vector<Operation> operations_;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> free_operations_;
  std::vector<std::uint32_t> free_transfers_;
  std::vector<StoreMap::Piece> pieces_;  ///< of the request that is being started
};

}  // namespace

std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth) {
  return std::make_unique<UringEngine>(files, depth);
}

}  // namespace graphrun
