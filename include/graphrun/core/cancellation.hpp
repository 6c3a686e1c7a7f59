// Lets the thread that waits for a long job look up from it: at Ctrl-C, at a bar that shows how far the job is.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "graphrun/core/timer.hpp"

namespace graphrun {

class Progress;

/// While it lives, jobs that its thread runs look up now and then: between loops and at the ends of rounds. Jobs of other threads
/// do not. They nest: the innermost counts.
class CancellationCheck {
 public:
  /// Of the innermost stage that has lasted a second, or null. What it throws ends the job, and it is not called again.
  using Look = std::function<void(const Progress* stage)>;

  /// Looks at most once in `pause`.
  explicit CancellationCheck(Look look, std::chrono::milliseconds pause = std::chrono::milliseconds(50));
  ~CancellationCheck();
  CancellationCheck(const CancellationCheck&) = delete;
  CancellationCheck& operator=(const CancellationCheck&) = delete;

  /// That of this thread; null when there is none.
  static CancellationCheck* current();
  /// Looks, unless it did a moment ago.
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

/// What loops call between pieces of work that the calling thread waits for.
inline void check_cancelled() {
  if (CancellationCheck* const attendance = CancellationCheck::current(); attendance != nullptr) attendance->look_up();
}

}  // namespace graphrun
