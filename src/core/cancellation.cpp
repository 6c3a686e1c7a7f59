// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/cancellation.hpp"

#include <algorithm>
#include <utility>

#include "graphrun/core/progress.hpp"

namespace graphrun {
namespace {

constexpr double kWorthShowingMs = 1000;

constinit thread_local CancellationCheck* cancellation_check_here = nullptr;

}  // namespace

CancellationCheck::CancellationCheck(Look look, std::chrono::milliseconds pause)
    : outer_(cancellation_check_here), look_(std::move(look)), pause_ms_(static_cast<double>(pause.count())) {
  cancellation_check_here = this;
}

CancellationCheck::~CancellationCheck() { cancellation_check_here = outer_; }

CancellationCheck* CancellationCheck::current() { return cancellation_check_here; }

void CancellationCheck::look_up() {
  if (over_ || since_last_.elapsed_ms() < pause_ms_) return;
  over_ = true;  // unless it returns: what unwinds after a throw may run loops, too
  const auto has_lasted = [](const Progress* stage) { return stage->elapsed_ms() >= kWorthShowingMs; };
  const auto innermost = std::find_if(stages_.rbegin(), stages_.rend(), has_lasted);
  look_(innermost == stages_.rend() ? nullptr : *innermost);
  over_ = false;
  since_last_ = Timer();
}

}  // namespace graphrun
