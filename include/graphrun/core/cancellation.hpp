// SPDX-License-Identifier: Apache-2.0
// Calls a function now and then during long jobs: for Ctrl-C, and for progress bars.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "graphrun/core/timer.hpp"

namespace graphrun {

class Progress;

/// A check that jobs of its thread call between loops and at the ends of rounds, while it lives. The innermost of several counts.
class CancellationCheck {
 public:
  /// Gets the innermost stage that has lasted a second, or null. An exception of it ends the job and all later calls.
  using Look = std::function<void(const Progress* stage)>;

  /// Calls `look` at most once in `pause`.
  explicit CancellationCheck(Look look, std::chrono::milliseconds pause = std::chrono::milliseconds(50));
  ~CancellationCheck();
  CancellationCheck(const CancellationCheck&) = delete;
  CancellationCheck& operator=(const CancellationCheck&) = delete;

  /// Returns the check of this thread; null when there is none.
  static CancellationCheck* current();
  /// Calls `look`, unless it did a moment ago.
  void look_up();
  void begin(const Progress* stage) { stages_.push_back(stage); }
  void end(const Progress* stage) { std::erase(stages_, stage); }

 private:
  CancellationCheck* outer_;
  Look look_;
  double pause_ms_;
  Timer since_last_;
  bool over_ = false;
  std::vector<const Progress*> stages_;  // the outermost first
};

/// Runs the thread's check when it is due. Loops call it between pieces of work.
inline void check_cancelled() {
  if (CancellationCheck* const check = CancellationCheck::current(); check != nullptr) check->look_up();
}

}  // namespace graphrun
