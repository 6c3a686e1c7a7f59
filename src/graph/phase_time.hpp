// SPDX-License-Identifier: Apache-2.0
// Logs how long a phase of preparing a graph took.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun {

class PhaseTime {
 public:
  explicit PhaseTime(std::string_view phase) : phase_(phase) {}
  ~PhaseTime() {
    if (std::uncaught_exceptions() == 0) log::debug(fmt::format("{}: {:.3f} s", phase_, timer_.elapsed_ms() / 1000));
  }
  PhaseTime(const PhaseTime&) = delete;
  PhaseTime& operator=(const PhaseTime&) = delete;

 private:
  std::string_view phase_;
  Timer timer_;
};

}  // namespace graphrun
