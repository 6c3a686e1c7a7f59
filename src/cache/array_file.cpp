#include "cache/array_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {

ArrayFile::ArrayFile(std::string path, const std::string& opened, int how)
    : path_(std::move(path)), fd_(::open(opened.c_str(), how | O_CLOEXEC)) {
  if (fd_ < 0) fail("cannot open");
}

ArrayFile::~ArrayFile() { ::close(fd_); }

std::unique_ptr<ArrayFile> ArrayFile::open(const std::string& path, bool writable, std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  std::unique_ptr<ArrayFile> file(new ArrayFile(path, path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK));
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
  constexpr std::uint64_t kMostBytes = std::numeric_limits<off_t>::max();
  if (bytes > kMostBytes - page_bytes) throw UsageError(fmt::format("{}: no file can have {} bytes", path, bytes));
  const std::uint64_t whole_pages = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  auto made = std::make_unique<OutputFile>(path, SpecialTarget::refuse);
  made->reserve(whole_pages);  // so that a disk that is full says so here and not when a page is evicted
  std::unique_ptr<ArrayFile> file(new ArrayFile(path, fmt::format("/proc/self/fd/{}", made->descriptor()), O_RDWR));
  file->bytes_ = whole_pages;
  file->unpublished_ = std::move(made);
  return file;
}

void ArrayFile::publish() {
  if (!unpublished_) return;
  unpublished_->commit();
  unpublished_.reset();
}

void ArrayFile::sync() const {
  if (::fdatasync(fd_) != 0) throw RunError(fmt::format("cannot flush {}: {}", path_, std::strerror(errno)));
}

void ArrayFile::fail(const char* what) const { throw DataError(fmt::format("{} {}: {}", what, path_, std::strerror(errno))); }

}  // namespace graphrun
