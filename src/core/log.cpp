#include "graphrun/core/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

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

void write(spdlog::level::level_enum level, std::string_view text) {
  const ProgressPause no_line;
  logger().log(level, "{}", text);
}

}  // namespace

void set_level(Level level) {
  switch (level) {
    case Level::quiet:
      logger().set_level(spdlog::level::warn);
      break;
    case Level::normal:
      logger().set_level(spdlog::level::info);
      break;
    case Level::verbose:
      logger().set_level(spdlog::level::debug);
      break;
  }
}

void debug(std::string_view text) { write(spdlog::level::debug, text); }
void info(std::string_view text) { write(spdlog::level::info, text); }
void warn(std::string_view text) { write(spdlog::level::warn, text); }
void error(std::string_view text) { write(spdlog::level::err, text); }

}  // namespace graphrun::log
