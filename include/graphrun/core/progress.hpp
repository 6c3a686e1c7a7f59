// How far a long job is: on a terminal a line on stderr while a stage lasts over a second, redrawn four times a second and gone
// with the stage; elsewhere, and on a dumb terminal, a line every ten seconds. Nothing unless a program asked for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "graphrun/core/cancellation.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun {

/// One stage of a job. The loops that work only count; a thread of its own draws. Stages nest: the line names the outer ones
/// before the innermost that has lasted long enough.
class Progress {
 public:
  /// Shows stages from now on, each once it has lasted `patience`, on the terminal, or in the log, behind `descriptor`. Programs
  /// call it before they have other threads.
  static void enable(std::chrono::milliseconds patience = std::chrono::seconds(1), int descriptor = 2);

  /// `total` in the unit that advance() counts in; 0 when it is not known. "bytes" are shown as KiB, MiB ...
  explicit Progress(std::string_view stage, std::uint64_t total = 0, std::string_view unit = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// From any thread. An atomic addition: for a piece of work, not for each item.
  void advance(std::uint64_t amount) {
    done_.fetch_add(amount, std::memory_order_relaxed);
    check_cancelled();
  }

  /// The end of one `unit` of an algorithm (a level, a sweep, a bucket), or of several, and how many edges it examined. From one
  /// thread.
  void end_round(std::uint64_t edges, std::uint64_t rounds = 1) {
    advance(rounds);
    edges_.fetch_add(edges, std::memory_order_relaxed);
  }
  /// The same for an algorithm that goes on until `residual` is below `tolerance`.
  void end_round(std::uint64_t edges, double residual, double tolerance);

  const std::string& stage() const { return stage_; }
  double elapsed_ms() const { return begun_.elapsed_ms(); }
  /// How far it is, in words. The time left is smoothed over the last calls.
  std::string text() const;
  /// From 0 to 1; 0 where it is not known.
  double fraction() const;

 private:
  /// Returns when the stage is expected to end, smoothed over some seconds so that it does not jump with each look.
  double seconds_left(double seconds, double share) const;

  std::string stage_;
  std::string unit_;
  std::uint64_t total_;
  Timer begun_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> edges_{0};
  std::atomic<double> first_residual_{0};
  std::atomic<double> residual_{0};
  std::atomic<double> tolerance_{0};
  mutable std::mutex pace_mutex_;
  mutable double expected_end_ = 0;  // in seconds from its beginning, as is the next
  mutable double looked_at_ = 0;
};

/// Keeps the line away while it lives: for those who write to the same terminal.
class ProgressPause {
 public:
  ProgressPause();

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace graphrun
