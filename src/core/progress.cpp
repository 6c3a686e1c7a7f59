// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/progress_look.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/cancellation.hpp"

namespace graphrun {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws{250};
constexpr std::size_t kUsualColumns = 80;

/// Returns the environment variable COLUMNS; 0 where it is no number.
std::size_t columns_asked_for() {
  const char* const text = std::getenv("COLUMNS");
  const std::string_view digits = text == nullptr ? "" : text;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc{} && end == digits.data() + digits.size() ? columns : 0;
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsualColumns;
}

/// The running stages and their line. Never freed: the thread that draws may outlive all other objects.
class Board {
 public:
  void set(const ProgressLook& look) {
    const std::lock_guard lock(mutex_);
    erase();
    look_ = look;
    columns_ = columns_asked_for();
    last_line_ = Clock::now();
  }
  void begin(const Progress* stage) {
    const std::lock_guard lock(mutex_);
    stages_.push_back(stage);
    if (stages_.size() == 1) begun_.notify_one();
  }
  void end(const Progress* stage) {
    const std::lock_guard lock(mutex_);
    std::erase(stages_, stage);
    if (shown_ == stage) erase();
  }
  [[noreturn]] void draw_for_ever() {
    for (std::unique_lock lock(mutex_);;) {
      begun_.wait(lock, [this] { return !stages_.empty(); });
      const auto pause = std::min({kBetweenDraws, look_.patience, look_.between_lines});
      lock.unlock();
      std::this_thread::sleep_for(pause);
      lock.lock();
      draw();
    }
  }
  std::unique_lock<std::mutex> pause() {
    std::unique_lock lock(mutex_);
    erase();
    return lock;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void draw() {
    if (!look_.redrawn && Clock::now() - last_line_ < look_.between_lines) return;
    const auto has_lasted = [this](const Progress* stage) {
      return stage->elapsed_ms() >= static_cast<double>(look_.patience.count());
    };
    const auto innermost = std::find_if(stages_.rbegin(), stages_.rend(), has_lasted);
    if (innermost == stages_.rend()) return;
    std::string line;
    for (auto outer = stages_.begin(); *outer != *innermost; ++outer) line += (*outer)->stage() + ": ";
    line += (*innermost)->text();
    if (!look_.redrawn) {
      last_line_ = Clock::now();
      return write(line + "\n");
    }
    const std::size_t columns = columns_ != 0 ? columns_ : columns_of(look_.descriptor);
    line.resize(std::min(line.size(), columns - 1));  // a line that wraps could not be taken back
    write(fmt::format("\r{}\x1b[K", line));
    shown_ = *innermost;
  }
  void erase() {
    if (shown_ != nullptr) write("\r\x1b[K");
    shown_ = nullptr;
  }
  void write(const std::string& text) const {
    [[maybe_unused]] const auto written = ::write(look_.descriptor, text.data(), text.size());
  }

  std::mutex mutex_;
  std::condition_variable begun_;
  ProgressLook look_;
  std::size_t columns_ = 0;  // 0: as the terminal is
  Clock::time_point last_line_;
  std::vector<const Progress*> stages_;  // the outermost first
  const Progress* shown_ = nullptr;
};

Board* board = nullptr;

std::string count_text(std::uint64_t count) {
  const auto number = static_cast<double>(count);
  if (number >= 1e9) return fmt::format("{:.2f} G", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.1f} M", number / 1e6);
  return fmt::format("{}", count);
}

std::string amount(std::uint64_t count, const std::string& unit) {
  return unit == "bytes" ? format_bytes(count) : fmt::format("{} {}", count_text(count), unit);
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string bar(double fraction) {
  constexpr std::size_t kWidth = 20;
  const auto filled = static_cast<std::size_t>(fraction * kWidth);
  return fmt::format("[{}{}] {:.0f} %", std::string(filled, '#'), std::string(kWidth - filled, '.'), 100 * fraction);
}

}  // namespace

ProgressLook look_for(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return {.redrawn = ::isatty(descriptor) == 1 && !is_dumb, .descriptor = descriptor};
}

void show_progress(const ProgressLook& look) {
  if (board == nullptr) {
    auto* made = new Board;
    try {
      std::thread([made] { made->draw_for_ever(); }).detach();
    } catch (const std::system_error&) {
      delete made;  // a job that is allowed no more threads goes without
      return;
    }
    board = made;
  }
  board->set(look);
}

void Progress::enable(std::chrono::milliseconds patience, int descriptor) {
  ProgressLook look = look_for(descriptor);
  look.patience = patience;
  show_progress(look);
}

Progress::Progress(std::string_view stage, std::uint64_t total, std::string_view unit)
    : stage_(stage), unit_(unit), total_(total) {
  if (board != nullptr) board->begin(this);
  if (CancellationCheck* const check = CancellationCheck::current(); check != nullptr) check->begin(this);
}

Progress::~Progress() {
  if (board != nullptr) board->end(this);
  if (CancellationCheck* const check = CancellationCheck::current(); check != nullptr) check->end(this);
}

void Progress::end_round(std::uint64_t edges, double residual, double tolerance) {
  end_round(edges);
  if (first_residual_.load(std::memory_order_relaxed) == 0) first_residual_.store(residual, std::memory_order_relaxed);
  residual_.store(residual, std::memory_order_relaxed);
  tolerance_.store(tolerance, std::memory_order_relaxed);
}

/// A residual shrinks by about the same factor in each round.
double Progress::fraction() const {
  if (total_ != 0) return std::min(1.0, static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(total_));
  const double first = first_residual_.load(std::memory_order_relaxed);
  const double now = residual_.load(std::memory_order_relaxed);
  const double last = tolerance_.load(std::memory_order_relaxed);
  if (!(last > 0 && now > last && first > now)) return 0;
  return std::log(first / now) / std::log(first / last);
}

double Progress::seconds_left(double seconds, double share) const {
  constexpr double kSmoothingSeconds = 5;
  const double by_pace = seconds / share;
  const std::lock_guard lock(pace_mutex_);
  if (looked_at_ == 0) expected_end_ = by_pace;
  expected_end_ += (by_pace - expected_end_) * (1 - std::exp((looked_at_ - seconds) / kSmoothingSeconds));
  looked_at_ = seconds;
  return std::max(0.0, expected_end_ - seconds);
}

std::string Progress::text() const {
  constexpr double kEnoughToTell = 0.01;
  const std::uint64_t done = done_.load(std::memory_order_relaxed);
  const std::uint64_t edges = edges_.load(std::memory_order_relaxed);
  const double residual = residual_.load(std::memory_order_relaxed);
  const double seconds = elapsed_ms() / 1000;
  const double share = fraction();
  std::string line = stage_;
  const auto add = [&line]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(line), format, std::forward<Values>(values)...);
  };
  if (total_ != 0) {
    add(" {}", bar(share));
    if (!unit_.empty()) add(" of {}", amount(total_, unit_));
  } else if (edges != 0 || residual != 0) {
    add(", {} {}, {} edges", unit_, done, count_text(edges));
  } else if (done != 0) {
    add(", {}", amount(done, unit_));
  }
  if (residual != 0) add(", residual {:.2g}", residual);
  if (share >= kEnoughToTell && share < 1) {
    add(", about {} left", duration(seconds_left(seconds, share)));
  } else {
    add(", {}", duration(seconds));
  }
  return line;
}

ProgressPause::ProgressPause() {
  if (board != nullptr) lock_ = board->pause();
}

}  // namespace graphrun
