#include "cache/array_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {

ArrayFile::ArrayFile(std::string path, int how) : path_(std::move(path)), fd_(::open(path_.c_str(), how | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail("cannot open");
}

ArrayFile::~ArrayFile() { ::close(fd_); }

std::unique_ptr<ArrayFile> ArrayFile::open(const std::string& path, bool writable, std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  std::unique_ptr<ArrayFile> file(new ArrayFile(path, writable ? O_RDWR : O_RDONLY));
  struct stat status {};
  if (::fstat(file->fd_, &status) != 0) file->fail("cannot examine");
  if (!S_ISREG(status.st_mode)) throw DataError(fmt::format("{} is not a regular file", path));
  file->bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (writable && file->bytes_ % page_bytes != 0) {
    throw UsageError(fmt::format("{} has {} bytes, which are no whole number of pages of {}: only such files can be written to",
                                 path, file->bytes_, page_bytes));
  }
  return file;
}

std::unique_ptr<ArrayFile> ArrayFile::create(const std::string& path, std::uint64_t bytes, std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  std::unique_ptr<ArrayFile> file(new ArrayFile(path, O_RDWR | O_CREAT | O_TRUNC));
  file->bytes_ = (bytes / page_bytes + (bytes % page_bytes != 0)) * page_bytes;
  // Room is made now, so that a disk that is full says so here and not when a page is evicted.
  if (file->bytes_ != 0) errno = ::posix_fallocate(file->fd_, 0, static_cast<off_t>(file->bytes_));
  if (file->bytes_ != 0 && errno != 0) file->fail("cannot make room in");
  return file;
}

void ArrayFile::sync() const {
  if (::fdatasync(fd_) != 0) throw RunError(fmt::format("cannot flush {}: {}", path_, std::strerror(errno)));
}

void ArrayFile::fail(const char* what) const { throw DataError(fmt::format("{} {}: {}", what, path_, std::strerror(errno))); }

}  // namespace graphrun
