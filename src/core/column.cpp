// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/column.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else  // a compiler without it has no AddressSanitizer either
#define ASAN_POISON_MEMORY_REGION(begin, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(begin, bytes)
#endif

namespace graphrun {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kGuards = false;  // sanitizers keep memory of their own for all addresses
#else
constexpr bool kGuards = true;
#endif

/// Short stretches that guarded columns gave back, for later ones: mapping a dozen with their guards took half the time of a
/// search of a small graph. Found by their exact length, because guards follow. Any thread.
class SpareRegions {
 public:
  SpareRegions() { spares_.reserve(kMostSpares); }

  /// Returns zeroed memory; null where none is as long.
  std::byte* take(std::size_t bytes, std::size_t guard_bytes) {
    std::byte* data = nullptr;
    {
      const std::unique_lock lock(mutex_, std::try_to_lock);  // a child process may have been forked while another thread had it
      if (!lock) return nullptr;
      const auto found = std::find_if(spares_.begin(), spares_.end(), [&](const Spare& spare) {
        return spare.bytes == bytes && spare.guard_bytes == guard_bytes;
      });
      if (found == spares_.end()) return nullptr;
      data = found->data;
      spares_.erase(found);
    }
    ASAN_UNPOISON_MEMORY_REGION(data, bytes);
    std::memset(data, 0, bytes);
    return data;
  }

  /// Returns whether it was kept. Where addresses are limited (ulimit -v), guards are unmapped.
  bool keep(std::byte* data, std::size_t bytes, std::size_t guard_bytes) {
    if (bytes > kLongestSpare) return false;
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY) return false;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    ASAN_POISON_MEMORY_REGION(data, bytes);
    if (spares_.size() == kMostSpares) {
      const Spare& oldest = spares_.front();
      ASAN_UNPOISON_MEMORY_REGION(oldest.data, oldest.bytes);
      ::munmap(oldest.data, oldest.bytes + oldest.guard_bytes);
      spares_.erase(spares_.begin());
    }
    spares_.push_back({data, bytes, guard_bytes});
    return true;
  }

 private:
  struct Spare {
    std::byte* data;
    std::size_t bytes;
    std::size_t guard_bytes;
  };
  static constexpr std::size_t kLongestSpare = std::size_t{64} << 10;  ///< of one: to zero it takes less than to map it
  static constexpr std::size_t kMostSpares = 64;
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

SpareRegions& spare_regions() {
  static auto* spares = new SpareRegions;  // outlives the columns of all threads
  return *spares;
}

}  // namespace

std::shared_ptr<Region> Region::allocate(std::size_t bytes, std::size_t guard_bytes) {
  std::shared_ptr<Region> made(new Region);
  if (bytes == 0) return made;
  // Rounded up to whole huge pages, and over-reserved by one, so that the data can start on a huge-page boundary.
  const bool huge = bytes >= kHugePageBytes;
  const std::size_t unit = huge ? kHugePageBytes : static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  const std::size_t slack = huge ? kHugePageBytes : 0;
  made->bytes_ = rounded;
  const bool guarded = guard_bytes != 0;
  if (!kGuards) guard_bytes = 0;
  if (guarded) {
    made->guard_bytes_ = guard_bytes;
    if ((made->data_ = spare_regions().take(rounded, guard_bytes)) != nullptr) {
      made->guarded_ = true;
      return made;
    }
  }
  const auto reserve = [&](std::size_t guard, int protection) {
    return ::mmap(nullptr, rounded + slack + guard, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  void* base = guard_bytes != 0 ? reserve(guard_bytes, PROT_NONE) : MAP_FAILED;
  if (base == MAP_FAILED) {
    guard_bytes = 0;
    base = reserve(0, PROT_READ | PROT_WRITE);
  }
  const auto refuse = [&] { raise_errno<RunError>("cannot allocate {} of memory", format_bytes(bytes)); };
  if (base == MAP_FAILED) refuse();
  auto* start = static_cast<std::byte*>(base);
  if (huge) {
    const std::size_t head = (kHugePageBytes - reinterpret_cast<std::uintptr_t>(start) % kHugePageBytes) % kHugePageBytes;
    if (head != 0) ::munmap(start, head);
    start += head;
    if (head != slack) ::munmap(start + rounded + guard_bytes, slack - head);
  }
  made->data_ = start;
  made->guard_bytes_ = guard_bytes;
  if (guard_bytes != 0 && ::mprotect(start, rounded, PROT_READ | PROT_WRITE) != 0) refuse();
  if (huge) ::madvise(start, rounded, MADV_HUGEPAGE);
  made->guarded_ = guarded && (guard_bytes != 0 || !kGuards);  // only now: memory that cannot be written to is not reused
  return made;
}

std::shared_ptr<Region> Region::map_file(const std::string& path) {
  std::shared_ptr<Region> made(new Region);
  made->file_ = WatchedFile(path);
  made->in_file_ = true;
  if (made->file_.bytes() == 0) return made;
  const auto bytes = static_cast<std::size_t>(made->file_.bytes());
  void* base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, made->file_.descriptor(), 0);
  if (base == MAP_FAILED) raise_errno<DataError>("cannot map {}", path);
  made->data_ = static_cast<std::byte*>(base);
  made->bytes_ = bytes;
  made->file_.set_mapping(base, bytes);
  return made;
}

std::shared_ptr<Region> Region::map_scratch(int fd, std::size_t bytes) {
  std::shared_ptr<Region> made(new Region);
  made->in_file_ = true;
  if (bytes == 0) return made;
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) raise_errno<RunError>("cannot map {} of a scratch file", format_bytes(bytes));
  made->data_ = static_cast<std::byte*>(base);
  made->bytes_ = bytes;
  return made;
}

Region::~Region() {
  if (data_ == nullptr || (guarded_ && spare_regions().keep(data_, bytes_, guard_bytes_))) return;
  ::munmap(data_, bytes_ + guard_bytes_);
}

void Region::release(std::size_t offset, std::size_t bytes) const {
  if (!in_file_ || data_ == nullptr || offset >= bytes_) return;
  // Outwards to whole page tables: Linux may map as much around a page that is touched. A page too many is only fetched again.
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  const std::uintptr_t begin = std::max(address, (address + offset) / kHugePageBytes * kHugePageBytes) - address;
  const std::uintptr_t end = std::min<std::uintptr_t>(
      bytes_, (address + offset + bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes - address);
  ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

void Region::drop_cached_pages() const {
  if (path().empty() || data_ == nullptr) return;
  ::madvise(data_, bytes_, MADV_DONTNEED);  // a page that is still mapped is not dropped from the cache
  ::posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace graphrun
