// Reads as host threads issue them without a cache: what the pager of bam is compared with.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/column.hpp"

namespace graphrun {

class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
    if (fd_ < 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// A ring of one thread's own, with as many buffers as it may have reads out.
class PlainReader {
 public:
  PlainReader(int fd, std::uint32_t depth, std::uint32_t line_bytes)
      : fd_(fd), line_bytes_(line_bytes), buffers_(Column<std::byte>::allocate(std::size_t{depth} * line_bytes)) {
    if (const int status = ::io_uring_queue_init(depth, &ring_, 0); status < 0) {
      throw UnavailableError(fmt::format("this system refuses io_uring: {}", std::strerror(-status)));
    }
  }
  ~PlainReader() { ::io_uring_queue_exit(&ring_); }
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  void start(std::uint32_t buffer, std::uint64_t line) {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_read(entry, fd_, buffers_.data() + std::size_t{buffer} * line_bytes_, line_bytes_, line * line_bytes_);
    ::io_uring_sqe_set_data64(entry, buffer);
  }
  /// Waits for at least one read, and calls on_done(buffer) for each that is over.
  template <class OnDone>
  void wait(const OnDone& on_done) {
    ::io_uring_submit_and_wait(&ring_, 1);
    for (io_uring_cqe* entry = nullptr; ::io_uring_peek_cqe(&ring_, &entry) == 0;) {
      const auto buffer = static_cast<std::uint32_t>(::io_uring_cqe_get_data64(entry));
      const int result = entry->res;
      ::io_uring_cqe_seen(&ring_, entry);
      if (result != static_cast<int>(line_bytes_)) throw RunError(fmt::format("a plain read ended with {}", result));
      on_done(buffer);
    }
  }

 private:
  int fd_;
  std::uint32_t line_bytes_;
  Column<std::byte> buffers_;
  io_uring ring_{};
};

}  // namespace graphrun
