#include "graphrun/core/attendance.hpp"

#include <algorithm>
#include <utility>

#include "graphrun/core/progress.hpp"

namespace graphrun {
namespace {

constexpr double kWorthShowingMs = 1000;

constinit thread_local Attendance* attendance_here = nullptr;

}  // namespace

Attendance::Attendance(Look look, std::chrono::milliseconds pause)
    : look_(std::move(look)), pause_ms_(static_cast<double>(pause.count())) {
  attendance_here = this;
}

Attendance::~Attendance() { attendance_here = nullptr; }

Attendance* Attendance::current() { return attendance_here; }

void Attendance::look_up() {
  if (over_ || since_last_.elapsed_ms() < pause_ms_) return;
  over_ = true;  // unless it returns: what unwinds after a throw may run loops, too
  const auto has_lasted = [](const Progress* stage) { return stage->elapsed_ms() >= kWorthShowingMs; };
  const auto innermost = std::find_if(stages_.rbegin(), stages_.rend(), has_lasted);
  look_(innermost == stages_.rend() ? nullptr : *innermost);
  over_ = false;
  since_last_ = Timer();
}

}  // namespace graphrun
