// What a program does when a file that it reads is written to, cannot be read, or was damaged all along: it ends with one
// sentence that names it.
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

/// Of several threads that find the program's end only the first comes back, to say why; the others wait for it.
inline void begin_to_end() {
  static std::atomic<bool> begun{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "handlers of signals call this");
  while (begun.exchange(true)) ::pause();
}

/// For handlers of signals and for threads that cannot end the others: nothing is unwound, as when a process is killed.
[[noreturn]] inline void end_at_once(std::initializer_list<std::string_view> sentence) {
  constexpr std::size_t kMostPieces = 6;
  begin_to_end();
  iovec pieces[kMostPieces];
  std::size_t count = 0;
  const auto add = [&](std::string_view piece) { pieces[count++] = {const_cast<char*>(piece.data()), piece.size()}; };
  if (::isatty(STDERR_FILENO) == 1) add("\r\x1b[K");  // takes a line of progress away
  add("error: ");
  for (const std::string_view piece : sentence) add(piece);
  add("\n");
  [[maybe_unused]] const auto written = ::writev(STDERR_FILENO, pieces, static_cast<int>(count));
  ::_exit(static_cast<int>(ExitCode::failed));
}

inline constexpr std::string_view kDiskFailed = ": its disk failed";

/// A sentence about a watched file that was written to, or that could not be read; empty when there is none.
inline std::string fault_of_files() {
  if (const std::string path = changed_file(); !path.empty()) return path + kWasWrittenTo;
  const std::string path = unreadable_file();
  return path.empty() ? path : "cannot read " + path + std::string(kDiskFailed);
}

/// Kernels index by what files hold. When that faults, the file is the reason: if it was written to, if it cannot be read, or if
/// it was not checked. Otherwise the program is, and ends as it would without a handler.
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
  std::raise(signal);  // comes when the handler returns
}

/// While it lives, faults are explained, and a file that is written to ends the program within a tenth of a second, also where
/// the program would never end by itself. In main; one at a time.
class ChangedFiles {
 public:
  ChangedFiles() {
    struct sigaction action {};
    action.sa_sigaction = explain_fault;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    try {
      watcher_ = std::jthread([](const std::stop_token& stop) { watch(stop); });
    } catch (const std::system_error&) {  // where no thread can be started, a run says so; --help and --list need none
    }
  }
  /// As graphrun::program::begin_to_end(), for the thread that made this. The watcher ends first: joined later, it could wait for
  /// an end that waits for it.
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
