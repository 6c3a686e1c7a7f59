// SPDX-License-Identifier: Apache-2.0
// Page faults of this process that one of its own threads serves: Linux's userfaultfd.
//
// A thread that touches a missing page of a watched range sleeps until copy() has put the page there. Only touches by
// instructions of the process count, which any user may watch; a system call that is handed a missing page fails instead.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/owned_fd.hpp"

namespace graphrun {

/// Returns the bytes of a page of this system's page tables.
std::size_t system_page_bytes();

/// Returns why userfaultfd cannot be used here; "" when it can.
std::string why_no_userfault();

/// A descriptor and the ranges it watches. For one thread at a time, except stop(). Ranges and sizes are whole system pages.
class Userfault {
 public:
  /// Opens the descriptor. Throws UnavailableError where the system does not allow it.
  Userfault();

  /// Takes faults of [begin, begin + bytes), private anonymous memory, from now on. Throws UnavailableError.
  void watch(const std::byte* begin, std::size_t bytes);
  /// Sleeps until threads touch missing pages. Returns how many of `pages` it filled in, at least one; 0 after stop().
  std::size_t wait(std::span<const std::byte*> pages);
  /// Makes the next wait() return 0. Any thread, once.
  void stop();
  /// Fills missing pages with these bytes, and wakes the threads that wait for them. Throws RunError.
  void copy(const std::byte* to, const std::byte* from, std::size_t bytes);
  /// Wakes the threads that wait for pages of a range, after a page came before its fault was read.
  void wake(const std::byte* begin, std::size_t bytes);
  /// Stops watching and wakes all waiting threads. From now on the kernel fills missing pages with zeros. Cannot fail.
  void close() { fd_ = OwnedFd(); }

 private:
  OwnedFd fd_;
  OwnedFd stop_fd_;
};

}  // namespace graphrun
