#pragma once

#include <chrono>

namespace graphrun {

/// Says when a wait has lasted too long, without asking for the time in every round.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds limit) : limit_(limit) {}
  bool passed() {
    constexpr unsigned kRoundsBetweenLooks = 64;
    if (++rounds_ % kRoundsBetweenLooks != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (start_ == std::chrono::steady_clock::time_point{}) start_ = now;
    return now - start_ > limit_;
  }

 private:
  std::chrono::milliseconds limit_;
  unsigned rounds_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace graphrun
