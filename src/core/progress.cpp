#include "graphrun/core/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "graphrun/core/attendance.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kUsualColumns = 80;

std::size_t columns_of(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsualColumns;
}

/// The stages that run, and the line. The thread that draws may outlive all other objects, so it is never freed.
class Board {
 public:
  void set(std::chrono::milliseconds patience, int descriptor) {
    const std::lock_guard lock(mutex_);
    patience_ = patience;
    descriptor_ = descriptor;
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
      const auto pause = std::min(kBetweenDraws, patience_);
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
  void draw() {
    const auto has_lasted = [this](const Progress* stage) {
      return stage->elapsed_ms() >= static_cast<double>(patience_.count());
    };
    const auto innermost = std::find_if(stages_.rbegin(), stages_.rend(), has_lasted);
    if (innermost == stages_.rend()) return;
    std::string line;
    for (auto outer = stages_.begin(); *outer != *innermost; ++outer) line += (*outer)->stage() + ": ";
    line += (*innermost)->text();
    line.resize(std::min(line.size(), columns_of(descriptor_) - 1));  // a line that wraps could not be taken back
    write(fmt::format("\r{}\x1b[K", line));
    shown_ = *innermost;
  }
  void erase() {
    if (shown_ != nullptr) write("\r\x1b[K");
    shown_ = nullptr;
  }
  void write(const std::string& text) const {
    [[maybe_unused]] const auto written = ::write(descriptor_, text.data(), text.size());
  }

  std::mutex mutex_;
  std::condition_variable begun_;
  std::chrono::milliseconds patience_{0};
  int descriptor_ = 2;
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

void Progress::enable(std::chrono::milliseconds patience, int descriptor) {
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
  board->set(patience, descriptor);
}

Progress::Progress(std::string_view stage, std::uint64_t total, std::string_view unit)
    : stage_(stage), unit_(unit), total_(total) {
  if (board != nullptr) board->begin(this);
  if (Attendance* const attendance = Attendance::current(); attendance != nullptr) attendance->begin(this);
}

Progress::~Progress() {
  if (board != nullptr) board->end(this);
  if (Attendance* const attendance = Attendance::current(); attendance != nullptr) attendance->end(this);
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
    add(", about {} left", duration(seconds * (1 - share) / share));
  } else {
    add(", {}", duration(seconds));
  }
  return line;
}

ProgressPause::ProgressPause() {
  if (board != nullptr) lock_ = board->pause();
}

}  // namespace graphrun
