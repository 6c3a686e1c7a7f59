// SPDX-License-Identifier: Apache-2.0

#include "cache/fault_region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kMostFaultsAtOnce = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  ///< of a fault or a block

/// Checks options. Messages name both of two that do not fit each other, as graphrun spells them: one may be a default.
FaultOptions checked(const FaultOptions& options) {
  struct Size {
    const char* option;
    std::uint64_t bytes;
  };
  const Size sizes[] = {{"--uvm-fault", options.page}, {"--uvm-prefetch", options.prefetch}, {"--uvm-block", options.block}};
  for (const auto& [option, bytes] : sizes) {
    if (std::has_single_bit(bytes) && bytes >= system_page_bytes() && bytes <= kMostBytes) continue;
    raise<UsageError>("{} cannot be {}: it must be a power of two from {} to {}", option, format_bytes(bytes),
                      format_bytes(system_page_bytes()), format_bytes(kMostBytes));
  }
  for (std::size_t i = 1; i < std::size(sizes); ++i) {
    if (sizes[i - 1].bytes <= sizes[i].bytes) continue;
    raise<UsageError>("{} ({}) must be at least {} ({})", sizes[i].option, format_bytes(sizes[i].bytes), sizes[i - 1].option,
                      format_bytes(sizes[i - 1].bytes));
  }
  return options;
}

std::size_t units_in(std::uint64_t value, std::uint64_t unit) { return static_cast<std::size_t>((value + unit - 1) / unit); }

}  // namespace

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
  source.fd_ = OwnedFd(descriptor < 0 ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!source.fd_.is_open()) raise_errno<DataError>("cannot open {}", path);
  return source;
}

const std::byte* ColumnSource::read(std::uint64_t offset, std::size_t count, std::byte* buffer) const {
  const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_ - std::min(offset, bytes_)));
  if (!fd_.is_open() && here == count) return memory_ + offset;
  if (!fd_.is_open() && here != 0) std::memcpy(buffer, memory_ + offset, here);
  for (std::size_t done = 0; fd_.is_open() && done < here;) {
    const std::uint64_t at = file_offset_ + offset + done;
    const ssize_t got = ::pread(fd_.get(), buffer + done, here - done, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) raise_errno<DataError>("cannot read {} at byte {}", path_, at);
    if (got == 0) raise<DataError>("{} became shorter while it was read: it ends at or before byte {}", path_, at);
    done += static_cast<std::size_t>(got);
  }
  std::memset(buffer + here, 0, count - here);
  return buffer;
}

FaultRegion::FaultRegion(const FaultOptions& options, std::vector<ColumnSource> sources)
    : options_(checked(options)),
      pages_per_block_(options_.block / options_.page),
      buffer_(options_.prefetch),
      resident_(0, pages_per_block_) {
  for (ColumnSource& source : sources) {
    const std::size_t pages = units_in(source.bytes(), options_.page);
    parts_.push_back({std::move(source), blocks_ * pages_per_block_, pages});
    blocks_ += units_in(pages, pages_per_block_);
    pages_with_bytes_ += pages;
  }
  const std::uint64_t least = least_pages() * options_.page;
  if (options_.cap && *options_.cap < least)
    raise<UsageError>(
        "backend uvm evicts blocks of {} and needs --cache {} ({}) or more for {} threads, not {}: smaller --uvm-block and "
        "--uvm-prefetch need less",
        format_bytes(options_.block), least, format_bytes(least), options_.readers, format_bytes(*options_.cap));
  most_pages_ = pages_with_bytes_;
  if (options_.cap) most_pages_ = static_cast<std::size_t>(std::min<std::uint64_t>(most_pages_, *options_.cap / options_.page));
  resident_ = ResidentSet(blocks_, pages_per_block_);
  memory_ = Column<std::byte>::allocate(blocks_ * options_.block);
  if (!memory_.empty()) {
    ::madvise(memory_.data(), memory_.bytes(), MADV_NOHUGEPAGE);  // a huge page would bring in more than was asked for
  }
  for (const Part& part : parts_) {
    if (part.pages != 0) userfault_.watch(place_of(part.first_page), part.pages * options_.page);
  }
  server_ = std::thread([this] { serve_faults(); });
}

FaultRegion::~FaultRegion() {
  userfault_.stop();
  server_.join();
}

/// Returns the smallest cap, with room for loads that straddle two ranges, and for other readers' faults in between.
std::size_t FaultRegion::least_pages() const {
  const std::size_t ranges = 2 * (static_cast<std::size_t>(options_.readers) + 1);
  const std::size_t least = std::max(2 * pages_per_block_, ranges * (options_.prefetch / options_.page));
  return std::min(least, pages_with_bytes_);
}

const std::byte* FaultRegion::column(std::size_t index) const {
  const Part& part = parts_[index];
  return part.pages == 0 ? nullptr : place_of(part.first_page);
}

/// Serves faults, as a thread's body. It must neither touch the region nor wait for a thread that might.
void FaultRegion::serve_faults() {
  std::array<const std::byte*, kMostFaultsAtOnce> addresses;
  try {
    while (const std::size_t count = userfault_.wait(addresses)) serve(std::span(addresses).first(count));
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void FaultRegion::serve(std::span<const std::byte* const> addresses) {
  const std::lock_guard lock(mutex_);
  for (const std::byte* address : addresses) {
    const auto page = static_cast<std::size_t>(address - memory_.data()) / options_.page;
    if (resident_.has(page)) {  // it came with another one's fault, perhaps before this one could be read
      userfault_.wake(place_of(page), options_.page);
      continue;
    }
    ++counters_.faults;
    const Part& part = part_of(page);
    bring_in(part, around(part, page));
  }
}

const FaultRegion::Part& FaultRegion::part_of(std::size_t page) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [page](const Part& part) { return page >= part.first_page && page < part.first_page + part.pages; });
}

FaultRegion::Pages FaultRegion::around(const Part& part, std::size_t page) const {
  const std::size_t pages = options_.prefetch / options_.page;
  const std::size_t begin = page / pages * pages;
  return {begin, std::min(begin + pages, part.first_page + part.pages)};
}

std::size_t FaultRegion::missing(Pages pages) const {
  std::size_t count = 0;
  for (std::size_t page = pages.begin; page < pages.end; ++page) count += resident_.has(page) ? 0 : 1;
  return count;
}

void FaultRegion::bring_in(const Part& part, Pages pages) {
  resident_.touch(pages.begin / pages_per_block_);
  while (resident_.size() + missing(pages) > most_pages_) {
    const std::size_t block = resident_.oldest();
    forget(block * options_.block, options_.block);
    counters_.bytes_evicted += resident_.remove(block) * options_.page;
  }
  for (std::size_t page = pages.begin; page < pages.end;) {
    std::size_t end = page;
    while (end < pages.end && !resident_.has(end)) ++end;
    if (end != page) copy_in(part, {page, end});
    page = end + 1;
  }
}

void FaultRegion::copy_in(const Part& part, Pages pages) {
  const std::size_t bytes = (pages.end - pages.begin) * options_.page;
  const std::byte* data = part.source.read((pages.begin - part.first_page) * options_.page, bytes, buffer_.data());
  userfault_.copy(place_of(pages.begin), data, bytes);
  for (std::size_t page = pages.begin; page < pages.end; ++page) resident_.add(page);
  counters_.bytes_in += bytes;
}

/// Evicts pages. Threads that read there meanwhile get right data, or fault.
void FaultRegion::forget(std::size_t begin, std::size_t bytes) {
  if (::madvise(memory_.data() + begin, bytes, MADV_DONTNEED) != 0) raise_errno<RunError>("cannot evict {}", format_bytes(bytes));
}

/// Ends the region. Waiting threads cannot be told: they get zeros, valid vertices and weights, and the run ends soon.
void FaultRegion::fail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  failure_ = message;
  userfault_.close();
}

void FaultRegion::fill() {
  throw_if_failed();
  if (most_pages_ < pages_with_bytes_)
    raise<UsageError>("--preload brings in all edges and needs --cache {} or more", pages_with_bytes_ * options_.page);
  const std::lock_guard lock(mutex_);
  for (const Part& part : parts_) {
    for (std::size_t page = part.first_page; page < part.first_page + part.pages;) {
      const Pages pages = around(part, page);
      bring_in(part, pages);
      page = pages.end;
    }
  }
}

void FaultRegion::drop() {
  throw_if_failed();
  const std::lock_guard lock(mutex_);
  if (resident_.size() == 0) return;
  forget(0, memory_.bytes());
  resident_ = ResidentSet(blocks_, pages_per_block_);
}

FaultCounters FaultRegion::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void FaultRegion::reset_counters() {
  const std::lock_guard lock(mutex_);
  counters_ = {};
}

void FaultRegion::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw RunError(failure_);
}

}  // namespace graphrun
