// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/array_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/output_file.hpp"

namespace graphrun {

/// An open regular file; a new one has no name yet.
class ArrayFile {
 public:
  /// Opens `opened`, which the user knows as `path_known`. Throws DataError.
  ArrayFile(const std::string& path_known, const std::string& opened, int how)
      : path(path_known), fd(::open(opened.c_str(), how | O_CLOEXEC)) {
    struct stat status {};
    if (!fd.is_open()) raise_errno<DataError>("cannot open {}", path);
    if (::fstat(fd.get(), &status) != 0) raise_errno<DataError>("cannot examine {}", path);
    if (!S_ISREG(status.st_mode)) raise<DataError>("{} is not a regular file", path);
    bytes = static_cast<std::uint64_t>(status.st_size);
  }

  std::string path;
  OwnedFd fd;
  std::uint64_t bytes = 0;
  std::unique_ptr<OutputFile> unpublished;
};

ArraySource::ArraySource(std::shared_ptr<ArrayFile> file, bool writable, bool fresh)
    : file_(std::move(file)),
      memory_(std::span<const std::byte>()),
      name_(file_->path),
      bytes_(file_->bytes),
      writable_(writable),
      fresh_(fresh) {}

ArraySource::ArraySource(const MemoryStretch& memory)
    : memory_(memory),
      name_(fmt::format("{} of memory", format_bytes(memory.bytes.size()))),
      bytes_(memory.bytes.size()),
      writable_(memory.writable != nullptr) {}

ArraySource ArraySource::open(const std::string& path, bool writable, std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  auto file = std::make_shared<ArrayFile>(path, path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK);
  if (writable && file->bytes % page_bytes != 0)
    raise<UsageError>("{} has {} bytes, which are no whole number of pages of {}: only such files can be written to", path,
                      file->bytes, page_bytes);
  return {std::move(file), writable, false};
}

ArraySource ArraySource::create(const std::string& path, std::uint64_t size, std::size_t element_bytes,
                                std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  if (size > std::numeric_limits<std::uint64_t>::max() / element_bytes)
    raise<UsageError>("an array of {} elements of {} bytes is larger than any file", size, element_bytes);
  const std::uint64_t bytes = size * element_bytes;
  constexpr std::uint64_t kMostBytes = std::numeric_limits<off_t>::max();
  if (bytes > kMostBytes - page_bytes) raise<UsageError>("{}: no file can have {} bytes", path, bytes);
  auto made = std::make_unique<OutputFile>(path, SpecialTarget::refuse);
  // A full disk fails here, and not when a page is evicted.
  made->reserve((bytes + page_bytes - 1) / page_bytes * page_bytes);
  auto file = std::make_shared<ArrayFile>(path, fmt::format("/proc/self/fd/{}", made->descriptor()), O_RDWR);
  file->unpublished = std::move(made);
  return {std::move(file), true, true};
}

ArraySource ArraySource::over(const MemoryStretch& memory, bool writable, std::uint32_t page_bytes) {
  check_page_bytes(page_bytes);
  if (!writable) return ArraySource(MemoryStretch(memory.bytes));
  if (memory.writable == nullptr && !memory.bytes.empty())
    throw UsageError("an array over memory that is only to be read cannot be writable");
  return ArraySource(memory);
}

std::vector<StoreFile> ArraySource::files() const {
  if (!file_) return {};
  return {{file_->path, file_->fd.get(), writable_}};
}

void ArraySource::publish() {
  if (!file_ || !file_->unpublished) return;
  file_->unpublished->commit();
  file_->unpublished.reset();
}

void ArraySource::sync() const {
  if (file_ && ::fdatasync(file_->fd.get()) != 0) raise_errno<RunError>("cannot flush {}", name_);
}

void ArraySource::refuse_writing() const {
  raise<UsageError>("{} was opened for reading: say PagedArrayOptions::writable", name_);
}

void ArraySource::refuse_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
  raise<UsageError>("{} elements from {} on are not all in {}, which has {}", count, begin, name_, size);
}

}  // namespace graphrun
