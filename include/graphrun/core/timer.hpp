// SPDX-License-Identifier: Apache-2.0
// Wall-clock time of host code.
#pragma once

#include <chrono>

namespace graphrun {

/// A monotonic clock that starts when made.
class Timer {
 public:
  double elapsed_ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace graphrun
