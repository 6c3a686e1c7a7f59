#include <fmt/format.h>

#include <exception>
#include <utility>

#include "cache/array_file.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun {
namespace {

PagerOptions pager_options(const PagedArrayOptions& options) {
  if (options.threads < 1) throw UsageError(fmt::format("an array for {} threads is of no use: at least 1", options.threads));
  PagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.workers = options.threads;
  return how;
}

}  // namespace

PagedStore PagedStore::open(const std::string& path, const PagedArrayOptions& options) {
  return {ArrayFile::open(path, options.writable, options.page_bytes), options};
}

PagedStore PagedStore::create(const std::string& path, std::uint64_t bytes, PagedArrayOptions options) {
  options.writable = true;
  PagedStore store(ArrayFile::create(path, bytes, options.page_bytes), options);
  store.file_->publish();
  return store;
}

PagedStore PagedStore::over(std::span<std::byte> memory, const PagedArrayOptions& options) {
  return {options.writable ? MemoryStretch(memory) : MemoryStretch(std::span<const std::byte>(memory)), options};
}

PagedStore PagedStore::over(std::span<const std::byte> memory, const PagedArrayOptions& options) {
  if (options.writable) throw UsageError("an array over memory that is only to be read cannot be writable");
  return {MemoryStretch(memory), options};
}

PagedStore::PagedStore(std::unique_ptr<ArrayFile> file, const PagedArrayOptions& options)
    : file_(std::move(file)), name_(file_->path()), bytes_(file_->bytes()), writable_(options.writable) {
  std::vector<PagedColumn> columns{{0, bytes_, 0}};
  const std::vector<StoreFile> files{{file_->path(), file_->fd(), writable_}};
  const OpenEngine open_engine = [&](std::uint32_t depth) { return open_uring_engine(files, depth); };
  pager_ = std::make_unique<HostPager>(pager_options(options), columns, open_engine);
}

PagedStore::PagedStore(const MemoryStretch& memory, const PagedArrayOptions& options)
    : name_(fmt::format("{} of memory", format_bytes(memory.bytes.size()))),
      bytes_(memory.bytes.size()),
      writable_(options.writable) {
  check_page_bytes(options.page_bytes);
  std::vector<PagedColumn> columns{{0, bytes_, 0}};
  const HostPager::OpenStorage open_storage = [&](std::size_t, std::uint32_t) { return make_memory_storage({memory}); };
  pager_ = std::make_unique<HostPager>(pager_options(options), columns, open_storage);
}

PagedStore::PagedStore(PagedStore&&) noexcept = default;

PagedStore::~PagedStore() {
  if (!pager_) return;  // moved from
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(fmt::format("{}: what was written last is lost: {}", name_, error.what()));
  }
}

void PagedStore::refuse_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
  throw UsageError(fmt::format("{} elements from {} on are not all in {}, which has {}", count, begin, name_, size));
}

void PagedStore::refuse_writing() const {
  throw UsageError(fmt::format("{} was opened for reading: say PagedArrayOptions::writable", name_));
}

void PagedStore::flush() {
  if (!writable_) return;
  pager_->flush();
  if (file_) file_->sync();
}

}  // namespace graphrun
