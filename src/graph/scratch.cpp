// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/scratch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Opens by O_TMPFILE where the file system has it; otherwise by a name that exists for a moment.
int open_unnamed(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = directory + "/graphrun-scratch-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

std::string temporary_folder() {
  const char* given = std::getenv("TMPDIR");
  if (given == nullptr || *given == '\0') return "/tmp";
  std::error_code unknown;
  if (std::filesystem::is_directory(given, unknown)) return given;
  raise<DataError>("TMPDIR is {}, which is no folder: scratch files go there", given);
}

ScratchFile::ScratchFile(const std::string& directory) : directory_(directory), fd_(open_unnamed(directory)) {
  if (fd_ < 0) fail(errno);
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) ::close(fd_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : directory_(std::move(other.directory_)), fd_(std::exchange(other.fd_, -1)), size_(std::exchange(other.size_, 0)) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

void ScratchFile::append(const void* data, std::size_t bytes) {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
  const char* p = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t done = ::pwrite(fd_, p, std::min(bytes, kLargestWrite), static_cast<off_t>(size_));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    p += done;
    bytes -= static_cast<std::size_t>(done);
    size_ += static_cast<std::uint64_t>(done);
  }
}

void ScratchFile::flush() {
  if (::fdatasync(fd_) != 0) fail(errno);
}

void ScratchFile::reserve(std::uint64_t bytes) {
  if (bytes <= size_) return;
  int error = 0;
  do {
    error = ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) fail(error);
  size_ = bytes;
}

void ScratchFile::fail(int error) const {
  raise<DataError>("cannot write scratch data to {} (after {}): {}", directory_, format_bytes(size_), std::strerror(error));
}

Workspace Workspace::on_disk(const std::string& directory, std::uint64_t memory_bytes) {
  const ScratchFile probe(directory);
  Workspace made;
  made.directory_ = directory;
  made.memory_bytes_ = memory_bytes;
  return made;
}

std::size_t Workspace::window(std::size_t item_bytes) const {
  constexpr std::uint64_t kShare = 8;  // several windows are open at a time, and other buffers beside them
  if (!is_on_disk()) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>(1, memory_bytes_ / kShare / item_bytes);
}

}  // namespace graphrun::inline GR_IDS
