#include "graphrun/core/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

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

}  // namespace

void set_level(Level level) {
  switch (level) {
    case Level::quiet: logger().set_level(spdlog::level::warn); break;
    case Level::normal: logger().set_level(spdlog::level::info); break;
    case Level::verbose: logger().set_level(spdlog::level::debug); break;
  }
}

void debug(std::string_view text) { logger().debug("{}", text); }
void info(std::string_view text) { logger().info("{}", text); }
void warn(std::string_view text) { logger().warn("{}", text); }
void error(std::string_view text) { logger().error("{}", text); }

}  // namespace graphrun::log
