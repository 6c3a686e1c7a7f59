// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "graphrun/core/progress.hpp"

namespace graphrun::log {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    auto made = std::make_shared<spdlog::logger>("graphrun", sink);
    made->set_pattern("%^[%L]%$ %v");
    return made;
  }();
  return *instance;
}

/// Lines that were logged.
struct Said {
  std::mutex mutex;
  std::set<std::string, std::less<>> lines;
  bool nothing_again = false;
};
Said& said() {  // made when it is first asked for: what is made before main() may log
  static Said all;
  return all;
}

/// Returns false when the line is to be dropped.
bool remember(std::string_view text) {
  constexpr std::size_t kMost = 1000;  // a library's program may go on for days
  const std::lock_guard lock(said().mutex);
  if (said().nothing_again) return !said().lines.contains(text);
  if (said().lines.size() < kMost) said().lines.emplace(text);
  return true;
}

std::function<void(Severity, std::string_view)>& sink_elsewhere() {
  static std::function<void(Severity, std::string_view)> sink;
  return sink;
}

void write(Severity severity, std::string_view text) {
  if (!remember(text)) return;
  if (sink_elsewhere()) return sink_elsewhere()(severity, text);
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                   spdlog::level::err};
  const ProgressPause no_line;
  logger().log(kLevels[static_cast<int>(severity)], "{}", text);
}

}  // namespace

void say_nothing_again() {
  const std::lock_guard lock(said().mutex);
  said().nothing_again = true;
}

void set_level(Level level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::warn, spdlog::level::info, spdlog::level::debug};
  logger().set_level(kLevels[static_cast<int>(level)]);
}

void set_sink(std::function<void(Severity, std::string_view)> sink) { sink_elsewhere() = std::move(sink); }

void debug(std::string_view text) { write(Severity::debug, text); }
void info(std::string_view text) { write(Severity::info, text); }
void warn(std::string_view text) { write(Severity::warning, text); }
void error(std::string_view text) { write(Severity::error, text); }

}  // namespace graphrun::log
