// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/watched_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/raise.hpp"

namespace graphrun {
namespace {

constexpr int kMostWatched = 512;  // a container and --stripe's 256 parts, and as many again
constexpr int kMostNamed = 512;    // mappings beside those

/// For handlers of faults: in static memory, which an id out of range does not reach, and without pointers.
struct Slot {
  std::atomic<bool> used;  ///< set last and cleared first
  int fd;                  ///< -1: only the mapping is known
  struct ::stat opened;
  std::atomic<const std::byte*> begin;  ///< of its mapping, or null
  std::atomic<std::size_t> bytes;
  std::atomic<bool> unchecked;
  std::atomic<bool> reads_zeros;  ///< where a page cannot be read
  std::atomic<bool> has_zeros;    ///< some page could not
  char path[PATH_MAX];
};
Slot slots[kMostWatched + kMostNamed];
std::mutex slots_mutex;                  ///< for all but handlers
char changed_until_closed[PATH_MAX];     ///< the first file that had changed when it was closed
char unreadable_until_closed[PATH_MAX];  ///< and the first that had pages of zeros

int take_slot(int first, int last, int fd, const std::string& path, const struct ::stat& opened) {
  const std::lock_guard lock(slots_mutex);
  for (int i = first; i < last; ++i) {
    Slot& slot = slots[i];
    if (slot.used.load(std::memory_order_relaxed)) continue;
    slot.fd = fd;
    slot.opened = opened;
    slot.begin = nullptr;
    slot.bytes = 0;
    slot.unchecked = slot.reads_zeros = slot.has_zeros = false;
    slot.path[path.copy(slot.path, sizeof(slot.path) - 1)] = '\0';
    slot.used.store(true, std::memory_order_release);  // pairs with the acquire of find_slot()
    return i;
  }
  return -1;
}

/// Another file may have the descriptor of one that was just closed.
bool has_changed(int fd, const struct ::stat& opened) {
  struct ::stat now {};
  if (fd < 0 || ::fstat(fd, &now) != 0 || now.st_dev != opened.st_dev || now.st_ino != opened.st_ino) return false;
  return now.st_size != opened.st_size || now.st_mtim.tv_sec != opened.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != opened.st_mtim.tv_nsec;
}

template <class Is>
Slot* find_slot(const Is& is) noexcept {
  for (Slot& slot : slots) {
    if (slot.used.load(std::memory_order_acquire) && is(slot)) return &slot;
  }
  return nullptr;
}

template <class Is>
const char* find_path(const Is& is) noexcept {
  const Slot* const slot = find_slot(is);
  return slot == nullptr ? nullptr : slot->path;
}

std::string text_of(const char* (*path_for_handlers)()) {
  const std::lock_guard lock(slots_mutex);
  const char* const path = path_for_handlers();
  return path == nullptr ? "" : path;
}

void set_mapping_of(int slot, const void* begin, std::size_t bytes) {
  if (slot < 0) return;
  slots[slot].bytes = bytes;
  slots[slot].begin = static_cast<const std::byte*>(begin);
}

bool maps(const Slot& slot, const std::byte* at) {
  const std::byte* const begin = slot.begin;
  return begin != nullptr && at >= begin && at < begin + slot.bytes;
}

struct sigaction handler_before;  ///< of SIGBUS

/// Replaces the unreadable page and all after it by zeros. Other faults go to the handler before this one.
void put_zeros(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  Slot* const slot = find_slot([&](const Slot& each) { return each.reads_zeros.load() && maps(each, at); });
  if (slot != nullptr) {
    const std::byte* const begin = slot->begin;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t first = static_cast<std::size_t>(at - begin) / page * page;
    slot->has_zeros = true;
    void* const zeros = ::mmap(const_cast<std::byte*>(begin) + first, slot->bytes - first, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    errno = error;
    if (zeros != MAP_FAILED) return;
  }
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) return handler_before.sa_sigaction(signal, info, context);
  if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) return handler_before.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // comes when the handler returns
}

void handle_unreadable_pages() {
  struct sigaction action {};
  action.sa_sigaction = put_zeros;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &handler_before);
}

}  // namespace

WatchedFile::WatchedFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) raise_errno<DataError>("cannot open {}", path);
  path_ = path;
  fd_ = fd;
  struct ::stat opened {};
  const int failure = ::fstat(fd, &opened) != 0 ? errno : 0;
  if (failure != 0 || !S_ISREG(opened.st_mode)) {
    ::close(fd);
    throw DataError(failure != 0 ? fmt::format("cannot examine {}: {}", path, std::strerror(failure))
                                 : fmt::format("{} is not a regular file", path));
  }
  bytes_ = static_cast<std::uint64_t>(opened.st_size);
  slot_ = take_slot(0, kMostWatched, fd, path, opened);
}

WatchedFile::~WatchedFile() {
  if (fd_ < 0) return;
  const std::lock_guard lock(slots_mutex);
  if (slot_ >= 0) {
    const Slot& slot = slots[slot_];
    const auto keep_name = [&](char(&of_first)[PATH_MAX], bool is_so) {
      if (is_so && of_first[0] == '\0') std::memcpy(of_first, slot.path, sizeof(slot.path));
    };
    keep_name(changed_until_closed, has_changed(fd_, slot.opened));
    keep_name(unreadable_until_closed, slot.has_zeros);
    slots[slot_].used.store(false, std::memory_order_relaxed);
  }
  ::close(fd_);
}

WatchedFile::WatchedFile(WatchedFile&& other) noexcept { *this = std::move(other); }

WatchedFile& WatchedFile::operator=(WatchedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(slot_, other.slot_);
  return *this;
}

void WatchedFile::set_mapping(const void* begin, std::size_t bytes) const { set_mapping_of(slot_, begin, bytes); }

void WatchedFile::set_unchecked() const {
  if (slot_ >= 0) slots[slot_].unchecked = true;
}

void WatchedFile::read_zeros() const {
  static std::once_flag once;
  std::call_once(once, handle_unreadable_pages);
  if (slot_ >= 0) slots[slot_].reads_zeros = true;
}

void WatchedFile::check_unchanged() const {
  if (slot_ < 0) return;
  if (has_changed(fd_, slots[slot_].opened)) throw DataError(path_ + kWasWrittenTo);
  if (slots[slot_].has_zeros) raise<DataError>("cannot read {}: its disk failed", path_);
}

NamedMapping::NamedMapping(const std::string& name, const void* begin, std::size_t bytes)
    : slot_(take_slot(kMostWatched, kMostWatched + kMostNamed, -1, name, {})) {
  set_mapping_of(slot_, begin, bytes);
}

NamedMapping::~NamedMapping() {
  if (slot_ >= 0) slots[slot_].used.store(false, std::memory_order_relaxed);
}

std::string changed_file() { return text_of(changed_file_for_handlers); }
std::string unreadable_file() { return text_of(unreadable_file_for_handlers); }

const char* changed_file_for_handlers() noexcept {
  if (changed_until_closed[0] != '\0') return changed_until_closed;
  return find_path([](const Slot& slot) { return has_changed(slot.fd, slot.opened); });
}

const char* unreadable_file_for_handlers() noexcept {
  if (unreadable_until_closed[0] != '\0') return unreadable_until_closed;
  return find_path([](const Slot& slot) { return slot.has_zeros.load(); });
}

const char* mapped_file_for_handlers(const void* address) noexcept {
  return find_path([at = static_cast<const std::byte*>(address)](const Slot& slot) { return maps(slot, at); });
}

const char* unchecked_file_for_handlers() noexcept {
  return find_path([](const Slot& slot) { return slot.unchecked.load(); });
}

}  // namespace graphrun
