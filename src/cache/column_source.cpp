#include "cache/column_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun {

ColumnSource ColumnSource::in_memory(const void* data, std::uint64_t bytes) {
  ColumnSource source;
  source.memory_ = static_cast<const std::byte*>(data);
  source.bytes_ = bytes;
  return source;
}

ColumnSource ColumnSource::in_file(const std::string& path, std::uint64_t offset, std::uint64_t bytes, int descriptor) {
  ColumnSource source;
  source.path_ = path;
  source.file_offset_ = offset;
  source.bytes_ = bytes;
  source.fd_ = descriptor < 0 ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (source.fd_ < 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  return source;
}

ColumnSource::ColumnSource(ColumnSource&& other) noexcept
    : bytes_(other.bytes_),
      memory_(other.memory_),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      file_offset_(other.file_offset_) {}

ColumnSource::~ColumnSource() {
  if (fd_ >= 0) ::close(fd_);
}

const std::byte* ColumnSource::read(std::uint64_t offset, std::size_t count, std::byte* buffer) const {
  const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_ - std::min(offset, bytes_)));
  if (fd_ < 0 && here == count) return memory_ + offset;
  if (fd_ >= 0) {
    read_file(file_offset_ + offset, here, buffer);
  } else if (here != 0) {
    std::memcpy(buffer, memory_ + offset, here);
  }
  std::memset(buffer + here, 0, count - here);
  return buffer;
}

void ColumnSource::read_file(std::uint64_t offset, std::size_t count, std::byte* buffer) const {
  while (count != 0) {
    const ssize_t got = ::pread(fd_, buffer, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw DataError(fmt::format("cannot read {} at byte {}: {}", path_, offset, std::strerror(errno)));
    if (got == 0)
      throw DataError(fmt::format("{} became shorter while it was read: it ends at or before byte {}", path_, offset));
    offset += static_cast<std::uint64_t>(got);
    buffer += got;
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace graphrun
