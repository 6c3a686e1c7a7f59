#include <fmt/format.h>

#include <exception>
#include <utility>

#include "cache/array_file.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun {

PagedFile::PagedFile(const std::string& path, const PagedArrayOptions& options)
    : PagedFile(ArrayFile::open(path, options.writable, options.page_bytes), options) {}

PagedFile PagedFile::create(const std::string& path, std::uint64_t bytes, PagedArrayOptions options) {
  options.writable = true;
  PagedFile file(ArrayFile::create(path, bytes, options.page_bytes), options);
  file.file_->publish();
  return file;
}

PagedFile::PagedFile(std::unique_ptr<ArrayFile> file, const PagedArrayOptions& options)
    : file_(std::move(file)), writable_(options.writable) {
  if (options.threads < 1) throw UsageError(fmt::format("an array for {} threads is of no use: at least 1", options.threads));
  PagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.workers = options.threads;
  std::vector<PagedColumn> columns{{0, file_->bytes(), 0}};
  const std::vector<StoreFile> files{{file_->path(), file_->fd(), writable_}};
  pager_ = std::make_unique<HostPager>(how, columns, [&](std::uint32_t depth) { return open_uring_engine(files, depth); });
}

PagedFile::PagedFile(PagedFile&&) noexcept = default;

PagedFile::~PagedFile() {
  if (!pager_) return;  // moved from
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(fmt::format("{}: what was written last is lost: {}", file_->path(), error.what()));
  }
}

std::uint64_t PagedFile::bytes() const { return file_->bytes(); }

void PagedFile::refuse_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
  throw UsageError(fmt::format("{} elements from {} on are not all in {}, which has {}", count, begin, file_->path(), size));
}

void PagedFile::refuse_writing() const {
  throw UsageError(fmt::format("{} was opened for reading: say PagedArrayOptions::writable", file_->path()));
}

void PagedFile::flush() {
  if (!writable_) return;
  pager_->flush();
  file_->sync();
}

}  // namespace graphrun
