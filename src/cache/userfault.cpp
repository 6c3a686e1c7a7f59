// SPDX-License-Identifier: Apache-2.0

#include "cache/userfault.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kMostMessages = 32;  // taken from the kernel at a time

int open_by_system_call(int flags) { return static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags)); }

int open_by_device() {
  const OwnedFd device(::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC));
  return device.is_open() ? ::ioctl(device.get(), USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK) : -1;
}

/// Opens a descriptor, or none. Every user may open the first way; kernels before 5.11 know only the second, which
/// vm.unprivileged_userfaultfd allows; the third needs a device file, where a filter forbids the others.
OwnedFd open_userfault() {
  int fd = open_by_system_call(UFFD_USER_MODE_ONLY);
  if (fd < 0) fd = open_by_system_call(0);
  if (fd < 0) fd = open_by_device();
  OwnedFd opened(fd);
  uffdio_api api{};
  api.api = UFFD_API;
  return opened.is_open() && ::ioctl(fd, UFFDIO_API, &api) == 0 ? std::move(opened) : OwnedFd();
}

std::uint64_t address_of(const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place); }

}  // namespace

std::size_t system_page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string why_no_userfault() {
  try {
    Userfault();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Userfault::Userfault() : fd_(open_userfault()) {
  if (!fd_.is_open() && (errno == EMFILE || errno == ENFILE)) raise_errno<RunError>("cannot open a userfaultfd");
  if (!fd_.is_open())
    throw UnavailableError(
        "userfaultfd is not permitted here: the system call must be allowed, or vm.unprivileged_userfaultfd be 1, or "
        "/dev/userfaultfd be readable and writable");
  stop_fd_ = OwnedFd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_fd_.is_open()) raise_errno<RunError>("cannot make an eventfd");
}

void Userfault::watch(const std::byte* begin, std::size_t bytes) {
  uffdio_register range{};
  range.range = {address_of(begin), bytes};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (::ioctl(fd_.get(), UFFDIO_REGISTER, &range) != 0)
    raise_errno<UnavailableError>("userfaultfd cannot watch {} of memory", format_bytes(bytes));
}

std::size_t Userfault::wait(std::span<const std::byte*> pages) {
  std::array<uffd_msg, kMostMessages> messages;
  for (;;) {
    std::array<pollfd, 2> ready{pollfd{fd_.get(), POLLIN, 0}, pollfd{stop_fd_.get(), POLLIN, 0}};
    const int answer = ::poll(ready.data(), ready.size(), -1);
    if (answer < 0 && errno != EINTR) raise_errno<RunError>("cannot wait for page faults");
    if (answer <= 0) continue;
    if (ready[1].revents != 0) return 0;
    const ssize_t got = ::read(fd_.get(), messages.data(), std::min(pages.size(), messages.size()) * sizeof(uffd_msg));
    if (got < 0 && errno != EAGAIN && errno != EINTR) raise_errno<RunError>("cannot read page faults");
    std::size_t filled = 0;
    for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) / sizeof(uffd_msg); ++i) {
      if (messages[i].event != UFFD_EVENT_PAGEFAULT) continue;
      pages[filled++] = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(messages[i].arg.pagefault.address));
    }
    if (filled != 0) return filled;
  }
}

void Userfault::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_fd_.get(), &one, sizeof(one));  // only a full counter could refuse
}

void Userfault::copy(const std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    uffdio_copy request{};
    request.dst = address_of(to) + done;
    request.src = address_of(from) + done;
    request.len = bytes - done;
    if (::ioctl(fd_.get(), UFFDIO_COPY, &request) == 0) return;
    if (errno != EAGAIN) raise_errno<RunError>("cannot put {} in place of a page fault", format_bytes(bytes));
    if (request.copy > 0) done += static_cast<std::size_t>(request.copy);  // the kernel stopped in the middle
  }
}

void Userfault::wake(const std::byte* begin, std::size_t bytes) {
  uffdio_range range{address_of(begin), bytes};
  if (::ioctl(fd_.get(), UFFDIO_WAKE, &range) != 0) raise_errno<RunError>("cannot end a page fault");
}

}  // namespace graphrun
