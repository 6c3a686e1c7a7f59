#include "graphrun/graph/column.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::shared_ptr<Region> Region::allocate(std::size_t bytes) {
  std::shared_ptr<Region> made(new Region);
  if (bytes == 0) return made;
  // Rounded up to whole huge pages, and over-reserved by one, so that the data can start on a huge-page boundary.
  const std::size_t rounded = bytes < kHugePageBytes ? bytes : (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::size_t slack = bytes < kHugePageBytes ? 0 : kHugePageBytes;
  void* base = ::mmap(nullptr, rounded + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    throw RunError(fmt::format("cannot allocate {} of memory: {}", format_bytes(bytes), std::strerror(errno)));
  }
  auto* start = static_cast<std::byte*>(base);
  if (slack != 0) {
    const std::size_t head = (kHugePageBytes - reinterpret_cast<std::uintptr_t>(start) % kHugePageBytes) % kHugePageBytes;
    if (head != 0) ::munmap(start, head);
    start += head;
    if (head != slack) ::munmap(start + rounded, slack - head);
    ::madvise(start, rounded, MADV_HUGEPAGE);
  }
  made->data_ = start;
  made->bytes_ = rounded;
  return made;
}

std::shared_ptr<Region> Region::map_file(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // so that a pipe is refused, not waited for
  if (file.fd < 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) throw DataError(fmt::format("cannot examine {}: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw DataError(fmt::format("{} is not a regular file", path));
  std::shared_ptr<Region> made(new Region);
  made->path_ = path;
  made->in_file_ = true;
  made->stamp_ = stamp_of(status);
  if (status.st_size == 0) return made;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd, 0);
  if (base == MAP_FAILED) throw DataError(fmt::format("cannot map {}: {}", path, std::strerror(errno)));
  made->data_ = static_cast<std::byte*>(base);
  made->bytes_ = bytes;
  return made;
}

std::shared_ptr<Region> Region::map_scratch(int fd, std::size_t bytes) {
  std::shared_ptr<Region> made(new Region);
  made->in_file_ = true;
  if (bytes == 0) return made;
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) {
    throw RunError(fmt::format("cannot map {} of a scratch file: {}", format_bytes(bytes), std::strerror(errno)));
  }
  made->data_ = static_cast<std::byte*>(base);
  made->bytes_ = bytes;
  return made;
}

Region::~Region() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Region::release(std::size_t offset, std::size_t bytes) const {
  if (!in_file_ || data_ == nullptr || offset >= bytes_) return;
  // Outwards by as much as Linux may map around a page that is touched, which reaches back into what was released before: all
  // that one page table holds. A page too many is only fetched again.
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  const std::uintptr_t begin = std::max(address, (address + offset) / kHugePageBytes * kHugePageBytes) - address;
  const std::uintptr_t end = std::min<std::uintptr_t>(
      bytes_, (address + offset + bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes - address);
  ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

void Region::drop_cached_pages() const {
  if (path_.empty() || data_ == nullptr) return;
  ::madvise(data_, bytes_, MADV_DONTNEED);  // a page that is still mapped is not dropped from the cache
  const Descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd >= 0) ::posix_fadvise(file.fd, 0, 0, POSIX_FADV_DONTNEED);
}

Region::Stamp Region::stamp_of(const struct ::stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

void Region::check_unchanged() const {
  struct stat status {};
  if (path_.empty() || ::stat(path_.c_str(), &status) != 0) return;
  const Stamp now = stamp_of(status);
  if (now.device != stamp_.device || now.inode != stamp_.inode || now == stamp_) return;
  throw DataError(fmt::format("{} was written to while it was read: what was made of it is worth nothing", path_));
}

}  // namespace graphrun
