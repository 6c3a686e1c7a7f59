#include "graphrun/core/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "graphrun/core/timer.hpp"

namespace graphrun {
namespace {

constexpr double kBetweenDrawsMs = 100;

bool enabled = false;
const Timer clock_of_process;

}  // namespace

void Progress::enable() { enabled = true; }

Progress::Progress(std::string_view stage, std::uint64_t total, std::string_view unit)
    : stage_(stage), unit_(unit), total_(total) {
  if (!enabled) return;
  draw();
  next_draw_ms_ = clock_of_process.elapsed_ms() + kBetweenDrawsMs;
}

Progress::~Progress() {
  if (enabled) fmt::print(stderr, "\r\x1b[K");
}

void Progress::advance(std::uint64_t amount) {
  done_ += amount;
  if (!enabled || clock_of_process.elapsed_ms() < next_draw_ms_) return;
  draw();
  next_draw_ms_ = clock_of_process.elapsed_ms() + kBetweenDrawsMs;
}

void Progress::draw() const {
  constexpr std::size_t kWidth = 30;
  if (total_ == 0) {
    fmt::print(stderr, "\r\x1b[K{:<28} {} {}", stage_, done_, unit_);
  } else {
    const double fraction = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(fraction * kWidth);
    fmt::print(stderr, "\r\x1b[K{:<28} [{:#<{}}{:.<{}}] {:3.0f} %", stage_, "", filled, "", kWidth - filled, 100 * fraction);
  }
  std::fflush(stderr);
}

}  // namespace graphrun
