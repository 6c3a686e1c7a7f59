// SPDX-License-Identifier: Apache-2.0
// Reads and writes of host threads without a cache, for comparison with bam's pager.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/core/column.hpp"

namespace graphrun::bench {

struct File : OwnedFd {
  /// Opens a file. Throws DataError.
  File(const std::string& path, int flags) : OwnedFd(::open(path.c_str(), O_CLOEXEC | flags, 0600)) {
    if (!is_open()) raise_errno<DataError>("cannot open {}", path);
  }
  /// Opens a file again that is open already.
  File(int fd, int flags) : File(fmt::format("/proc/self/fd/{}", fd), flags) {}
  /// Opens the same file for transfers past the page cache.
  File direct(int flags) const { return {get(), flags | O_DIRECT}; }
  std::uint64_t bytes() const { return std::filesystem::file_size(fmt::format("/proc/self/fd/{}", get())); }
};

/// A ring of one thread's own, with as many buffers as it may have transfers out, each of `line_bytes`.
class PlainRing {
 public:
  PlainRing(std::uint32_t depth, std::uint32_t line_bytes)
      : line_bytes_(line_bytes), buffers_(Column<std::byte>::allocate(std::size_t{depth} * line_bytes)) {
    if (const int status = ::io_uring_queue_init(depth, &ring_, 0); status < 0) {
      raise<UnavailableError>("this system refuses io_uring: {}", std::strerror(-status));
    }
  }
  ~PlainRing() { ::io_uring_queue_exit(&ring_); }
  PlainRing(const PlainRing&) = delete;
  PlainRing& operator=(const PlainRing&) = delete;

  std::byte* buffer(std::uint32_t index) { return buffers_.data() + std::size_t{index} * line_bytes_; }
  void start(bool writes, int fd, std::uint32_t buffer_index, std::uint64_t offset) {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_rw(writes ? IORING_OP_WRITE : IORING_OP_READ, entry, fd, buffer(buffer_index), line_bytes_, offset);
    ::io_uring_sqe_set_data64(entry, buffer_index);
  }
  /// Waits for at least one transfer, and calls on_done(buffer index) for each that is over. Throws RunError when one failed.
  template <class OnDone>
  void wait(const OnDone& on_done) {
    ::io_uring_submit_and_wait(&ring_, 1);
    for (io_uring_cqe* entry = nullptr; ::io_uring_peek_cqe(&ring_, &entry) == 0;) {
      const auto index = static_cast<std::uint32_t>(::io_uring_cqe_get_data64(entry));
      const int result = entry->res;
      ::io_uring_cqe_seen(&ring_, entry);
      if (result != static_cast<int>(line_bytes_)) raise<RunError>("a plain transfer ended with {}", result);
      on_done(index);
    }
  }

 private:
  std::uint32_t line_bytes_;
  Column<std::byte> buffers_;
  io_uring ring_{};
};

}  // namespace graphrun::bench
