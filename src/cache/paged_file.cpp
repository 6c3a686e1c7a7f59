#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun {

/// An open file.
class PagedFile::Descriptor {
 public:
  Descriptor(std::string path, int how) : path_(std::move(path)), fd_(::open(path_.c_str(), how | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("cannot open");
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  std::uint64_t bytes() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) fail("cannot examine");
    if (!S_ISREG(status.st_mode)) throw DataError(fmt::format("{} is not a regular file", path_));
    return static_cast<std::uint64_t>(status.st_size);
  }
  /// Room is made now, so that a disk that is full says so here and not when a page is evicted.
  void reserve(std::uint64_t bytes) const {
    errno = ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes));
    if (errno != 0) fail("cannot make room in");
  }
  void sync() const {
    if (::fdatasync(fd_) != 0) throw RunError(fmt::format("cannot flush {}: {}", path_, std::strerror(errno)));
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw DataError(fmt::format("{} {}: {}", what, path_, std::strerror(errno))); }

  std::string path_;
  int fd_;
};

PagedFile::PagedFile(const std::string& path, const PagedArrayOptions& options)
    : PagedFile(std::make_unique<Descriptor>(path, options.writable ? O_RDWR : O_RDONLY), options) {}

PagedFile PagedFile::create(const std::string& path, std::uint64_t bytes, PagedArrayOptions options) {
  options.writable = true;
  auto descriptor = std::make_unique<Descriptor>(path, O_RDWR | O_CREAT | O_TRUNC);
  const std::uint64_t pages = bytes / options.page_bytes + (bytes % options.page_bytes != 0);
  if (pages != 0) descriptor->reserve(pages * options.page_bytes);
  return PagedFile(std::move(descriptor), options);
}

PagedFile::PagedFile(std::unique_ptr<Descriptor> descriptor, const PagedArrayOptions& options)
    : descriptor_(std::move(descriptor)), bytes_(descriptor_->bytes()), writable_(options.writable) {
  check_page_bytes(options.page_bytes);
  if (writable_ && bytes_ % options.page_bytes != 0) {
    throw UsageError(fmt::format("{} has {} bytes, which are no whole number of pages of {}: only such files can be written to",
                                 descriptor_->path(), bytes_, options.page_bytes));
  }
  PagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.workers = options.threads;
  std::vector<PagedColumn> columns{{0, bytes_, 0}};
  const std::vector<StoreFile> files{{descriptor_->path(), descriptor_->fd(), writable_}};
  pager_ = std::make_unique<HostPager>(how, columns, [&](std::uint32_t depth) { return open_uring_engine(files, depth); });
}

PagedFile::PagedFile(PagedFile&&) noexcept = default;

PagedFile::~PagedFile() {
  if (!pager_) return;  // moved from
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(fmt::format("{}: what was written last is lost: {}", descriptor_->path(), error.what()));
  }
}

void PagedFile::refuse_writing() const {
  throw UsageError(fmt::format("{} was opened for reading: say PagedArrayOptions::writable", descriptor_->path()));
}

void PagedFile::flush() {
  if (!writable_) return;
  pager_->flush();
  descriptor_->sync();
}

}  // namespace graphrun
