#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/sleeping_engine.hpp"

namespace graphrun {
namespace {

/// A file opened for transfers past the page cache.
class DirectFile {
 public:
  DirectFile(std::string name, int fd, bool writable) : name_(std::move(name)), writable_(writable) {
    const int how = (writable_ ? O_RDWR : O_RDONLY) | O_CLOEXEC;
    const std::string again = fmt::format("/proc/self/fd/{}", fd);
    fd_ = ::open(again.c_str(), how | O_DIRECT);
    direct_ = fd_ >= 0;
    if (!direct_) fd_ = ::open(again.c_str(), how);
    if (fd_ < 0) throw DataError(fmt::format("cannot open {}: {}", name_, std::strerror(errno)));
    if (!direct_) log::warn(fmt::format("{}: its file system refuses direct I/O, so transfers go through the page cache", name_));
    struct stat status {};
    if (::fstat(fd_, &status) != 0) throw DataError(fmt::format("cannot examine {}: {}", name_, std::strerror(errno)));
    bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~DirectFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  DirectFile(DirectFile&& other) noexcept
      : name_(std::move(other.name_)),
        writable_(other.writable_),
        fd_(std::exchange(other.fd_, -1)),
        direct_(other.direct_),
        bytes_(other.bytes_) {}
  DirectFile& operator=(DirectFile&&) = delete;

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }
  bool direct() const { return direct_; }
  bool writable() const { return writable_; }
  std::uint64_t bytes() const { return bytes_; }  ///< when it was opened

 private:
  std::string name_;
  bool writable_ = false;
  int fd_ = -1;
  bool direct_ = false;
  std::uint64_t bytes_ = 0;
};

class UringEngine final : public BlockEngine, public SleepingEngine {
 public:
  UringEngine(const std::vector<StoreFile>& files, std::uint32_t depth) : operations_(depth) {
    for (const StoreFile& file : files) add(file);
    const int status = ::io_uring_queue_init(depth, &ring_, 0);
    if (status < 0) {
      throw UnavailableError(fmt::format("storage 'file' needs io_uring, which this system refuses: {}", std::strerror(-status)));
    }
    for (std::uint32_t i = depth; i > 0; --i) free_.push_back(i - 1);
    // Spares the kernel looking a file up with every read; where it is refused, reads work all the same.
    std::vector<int> descriptors;
    for (const DirectFile& file : files_) descriptors.push_back(file.fd());
    registered_ = ::io_uring_register_files(&ring_, descriptors.data(), static_cast<unsigned>(descriptors.size())) == 0;
  }
  ~UringEngine() override { ::io_uring_queue_exit(&ring_); }
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;

  std::string description() const override {
    std::string text;
    for (const DirectFile& file : files_) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", file.name(), file.direct() ? "" : " (through the page cache)");
    }
    return text + " by io_uring with O_DIRECT";
  }
  bool emulated() const override { return false; }
  std::string last_error() const override { return last_error_; }

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
    if (free_.empty()) return false;
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    operations_[index] = request;
    if (!is_possible(request)) {
      ::io_uring_prep_nop(entry);  // judged when it comes back
    } else {
      const std::size_t file = file_of(request);
      const int fd = registered_ ? static_cast<int>(file) : files_[file].fd();
      const std::uint64_t offset = request.offset % kFileStride;
      if (request.opcode == nvme::Opcode::write) {
        ::io_uring_prep_write(entry, fd, request.data, request.bytes, offset);
      } else {
        ::io_uring_prep_read(entry, fd, request.data, request.bytes, offset);
      }
      if (registered_) entry->flags |= IOSQE_FIXED_FILE;
    }
    ::io_uring_sqe_set_data64(entry, index);
    ++unsent_;
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
      outcomes[count++] = {operations_[index].tag, judge(operations_[index], result)};
      free_.push_back(index);
    }
    return count;
  }

 private:
  /// A file of the store and its copies lie next to each other in files_.
  struct Copies {
    std::size_t first;
    std::size_t count;
  };

  void add(const StoreFile& file) {
    store_.push_back({files_.size(), 1 + file.copies.size()});
    files_.emplace_back(file.name, file.fd, file.writable);
    for (const int fd : file.copies) files_.emplace_back(fmt::format("a copy of {}", file.name), fd, false);
  }

  bool is_in_store(const BlockRequest& request) const { return request.offset / kFileStride < store_.size(); }
  /// Stretches of a file go to its copies in turn.
  std::size_t file_of(const BlockRequest& request) const {
    constexpr std::uint64_t kStretch = 128 << 10;
    const auto [first, count] = store_[static_cast<std::size_t>(request.offset / kFileStride)];
    return first + static_cast<std::size_t>(request.offset % kFileStride / kStretch % count);
  }

  /// A read behind the end of a file would succeed with nothing, and a write there would make the file longer.
  bool is_possible(const BlockRequest& request) const {
    if (!is_in_store(request)) return false;
    const DirectFile& file = files_[file_of(request)];
    const std::uint64_t offset = request.offset % kFileStride;
    if (request.opcode == nvme::Opcode::write) return file.writable() && offset + request.bytes <= file.bytes();
    return offset < file.bytes();
  }

  /// Fewer bytes than asked for are right only where the file ends.
  nvme::Status judge(const BlockRequest& request, int result) {
    if (!is_possible(request)) {
      last_error_ = fmt::format("a transfer that the store does not allow, or outside of it, at offset {:#x}", request.offset);
      return nvme::Status::out_of_range;
    }
    const DirectFile& file = files_[file_of(request)];
    const std::uint64_t offset = request.offset % kFileStride;
    const bool writes = request.opcode == nvme::Opcode::write;
    if (writes && result != static_cast<int>(request.bytes)) {
      last_error_ = fmt::format("writing {} bytes at offset {} of {}: {}", request.bytes, offset, file.name(),
                                result < 0 ? std::strerror(-result) : "only a part was taken");
      return nvme::Status::write_fault;
    }
    if (result < 0) {
      last_error_ =
          fmt::format("reading {} bytes at offset {} of {}: {}", request.bytes, offset, file.name(), std::strerror(-result));
      return nvme::Status::unrecovered_read_error;
    }
    const std::uint64_t expected = std::min<std::uint64_t>(request.bytes, file.bytes() - offset);
    if (static_cast<std::uint64_t>(result) >= expected) return nvme::Status::success;
    last_error_ =
        fmt::format("{} gave {} bytes instead of {} at offset {}: it became shorter", file.name(), result, expected, offset);
    return nvme::Status::unrecovered_read_error;
  }

  std::vector<DirectFile> files_;
  std::vector<Copies> store_;
  bool registered_ = false;
  io_uring ring_{};
  unsigned unsent_ = 0;
  std::vector<BlockRequest> operations_;
  std::vector<std::uint32_t> free_;
  std::string last_error_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_uring_engine(const std::vector<StoreFile>& files, std::uint32_t depth) {
  return std::make_unique<UringEngine>(files, depth);
}

}  // namespace graphrun
