#include <fmt/format.h>

#include <exception>
#include <utility>

#include "cache/array_file.hpp"
#include "graphrun/cache/device_paged_array.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun {

DevicePagedFile::DevicePagedFile(const std::string& path, CudaExecutor& exec, const DevicePagedArrayOptions& options)
    : DevicePagedFile(ArrayFile::open(path, options.writable, options.page_bytes), false, exec, options) {}

DevicePagedFile DevicePagedFile::create(const std::string& path, std::uint64_t bytes, CudaExecutor& exec,
                                        DevicePagedArrayOptions options) {
  options.writable = true;
  DevicePagedFile file(ArrayFile::create(path, bytes, options.page_bytes), true, exec, options);
  file.file_->publish();
  return file;
}

DevicePagedFile::DevicePagedFile(std::unique_ptr<ArrayFile> file, bool fresh, CudaExecutor& exec,
                                 const DevicePagedArrayOptions& options)
    : file_(std::move(file)), writable_(options.writable) {
  DevicePagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.deadline = options.deadline;
  std::vector<PagedColumn> columns{{.offset = 0, .bytes = file_->bytes(), .first_page = 0, .fresh = fresh}};
  const std::vector<StoreFile> files{{file_->path(), file_->fd(), writable_}};
  pager_ = std::make_unique<DevicePager>(how, columns, exec, [&](std::uint32_t depth) {
    return options.open_engine ? options.open_engine(files, depth) : open_uring_engine(files, depth);
  });
}

DevicePagedFile::DevicePagedFile(DevicePagedFile&&) noexcept = default;

DevicePagedFile::~DevicePagedFile() {
  if (!pager_) return;  // moved from
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(fmt::format("{}: what was written last is lost: {}", file_->path(), error.what()));
  }
}

std::uint64_t DevicePagedFile::bytes() const { return file_->bytes(); }

void DevicePagedFile::flush() {
  if (!writable_) return;
  pager_->flush();
  file_->sync();
}

}  // namespace graphrun
