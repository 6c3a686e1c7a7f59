// SPDX-License-Identifier: Apache-2.0
// Progress of long jobs: on a terminal a line on stderr for stages of over a second, redrawn four times a second and erased with
// the stage; elsewhere a line every ten seconds. Off unless a program enables it.
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

/// One stage of a job. Working loops only count; another thread draws. Stages nest: the line names the outer ones first. Of
/// stages at the same time the newest counts as the inner one.
class Progress {
 public:
  /// Shows stages that have lasted `patience` on `descriptor` from now on. Call it before other threads start.
  static void enable(std::chrono::milliseconds patience = std::chrono::seconds(1), int descriptor = 2);

  /// Begins a stage of `total` units, which advance() counts; 0 when it is not known. "bytes" are shown as KiB, MiB ...
  explicit Progress(std::string_view stage, std::uint64_t total = 0, std::string_view unit = "");
  ~Progress();

  /// Adds atomically, from any thread: for a piece of work, not for each item.
  void advance(std::uint64_t amount) {
    done_.fetch_add(amount, std::memory_order_relaxed);
    check_cancelled();
  }

  /// Ends one or several `unit`s of an algorithm (a level, a sweep, a bucket) that examined `edges`. From one thread.
  void end_round(std::uint64_t edges, std::uint64_t rounds = 1) {
    advance(rounds);
    edges_.fetch_add(edges, std::memory_order_relaxed);
  }
  /// Does the same for an algorithm that iterates until `residual` is below `tolerance`.
  void end_round(std::uint64_t edges, double residual, double tolerance);

  const std::string& stage() const { return stage_; }
  double elapsed_ms() const { return begun_.elapsed_ms(); }
  std::string text() const;  ///< in words, with the time left, smoothed over the last calls
  double fraction() const;   ///< from 0 to 1; 0 where it is not known

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

/// Erases the line while it lives, for other writers to the same terminal.
class ProgressPause {
 public:
  ProgressPause();

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace graphrun
