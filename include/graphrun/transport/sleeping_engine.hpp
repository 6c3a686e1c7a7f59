#pragma once

#include <chrono>

namespace graphrun {

/// What an engine can be too: one that lets threads sleep until something has come, instead of asking again and again. Storage
/// of virtual machines is served by the processors that a spinning thread keeps busy.
class SleepingEngine {
 public:
  virtual ~SleepingEngine() = default;
  /// Returns when an outcome can be polled for, or after `most`. Any thread, also while another is in the engine.
  virtual void sleep(std::chrono::microseconds most) const = 0;
};

}  // namespace graphrun
