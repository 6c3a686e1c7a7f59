// SPDX-License-Identifier: Apache-2.0
// Ends a program when a file that it reads is written to, cannot be read, or is damaged, with one sentence that names the file.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "graphrun/core/error.hpp"
#include "graphrun/core/watched_file.hpp"

namespace graphrun::program {

/// Returns in the first thread that ends the program, which reports why; blocks the others.
inline void begin_to_end() {
  static std::atomic<bool> begun{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "handlers of signals call this");
  while (begun.exchange(true)) ::pause();
}

/// Ends the process without unwinding, for signal handlers and for threads that cannot end the others.
[[noreturn]] inline void end_at_once(std::initializer_list<std::string_view> sentence) {
  constexpr std::size_t kMostPieces = 6;
  begin_to_end();
  iovec pieces[kMostPieces];
  std::size_t count = 0;
  const auto add = [&](std::string_view piece) { pieces[count++] = {const_cast<char*>(piece.data()), piece.size()}; };
  if (::isatty(STDERR_FILENO) == 1) add("\r\x1b[K");  // erases a line of progress
  add("error: ");
  for (const std::string_view piece : sentence) add(piece);
  add("\n");
  [[maybe_unused]] const auto written = ::writev(STDERR_FILENO, pieces, static_cast<int>(count));
  ::_exit(static_cast<int>(ExitCode::failed));
}

inline constexpr std::string_view kDiskFailed = ": its disk failed";

/// Returns a sentence about a watched file that was written to or could not be read; empty when there is none.
inline std::string fault_of_files() {
  if (const std::string path = changed_file(); !path.empty()) return path + kWasWrittenTo;
  const std::string path = unreadable_file();
  return path.empty() ? path : "cannot read " + path + std::string(kDiskFailed);
}

/// Explains a fault of a kernel, which indexes by files' contents: the file was written to, cannot be read, or was not checked.
/// Otherwise the program is at fault, and ends as without a handler.
inline void explain_fault(int signal, siginfo_t* info, void*) {
  if (const char* path = changed_file_for_handlers()) end_at_once({path, kWasWrittenTo});
  const char* const unreadable = unreadable_file_for_handlers();
  if (unreadable != nullptr || signal == SIGBUS) {
    const char* const mapped = unreadable != nullptr ? unreadable : mapped_file_for_handlers(info->si_addr);
    end_at_once({"cannot read ", mapped != nullptr ? mapped : "a scratch file", kDiskFailed});
  }
  if (const char* path = unchecked_file_for_handlers()) {
    end_at_once({path, " is damaged: without --trust-file it is checked before it is used"});
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when the handler returns
}

/// While it lives, explains faults. Ends the program within a tenth of a second after a file is written to, even if the program
/// hangs. In main; one at a time.
class ChangedFiles {
 public:
  ChangedFiles() {
    struct sigaction action {};
    action.sa_sigaction = explain_fault;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    try {
      watcher_ = std::jthread([](const std::stop_token& stop) { watch(stop); });
    } catch (const std::system_error&) {  // a run reports that no thread can be started; --help and --list need none
    }
  }
  /// Does as graphrun::program::begin_to_end(), for the thread that made this. The watcher ends first, because a later join could
  /// deadlock.
  void begin_to_end() {
    watcher_ = {};
    program::begin_to_end();
  }

 private:
  static void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kBetween{100};
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, kBetween, [&] { return stop.stop_requested(); })) {
      if (const std::string fault = fault_of_files(); !fault.empty()) end_at_once({fault});
    }
  }

  std::jthread watcher_;
};

}  // namespace graphrun::program
