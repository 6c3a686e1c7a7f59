// SPDX-License-Identifier: Apache-2.0
// The log, on stderr; results go to stdout. Hides spdlog, which CUDA C++20 sources cannot include: callers format their own text.
#pragma once

#include <functional>
#include <string_view>

namespace graphrun::log {

enum class Level { quiet, normal, verbose };

/// Sets the least level that is logged. Call once, before other threads start.
void set_level(Level level);

enum class Severity { debug, info, warning, error };
/// Sends lines of all levels to `sink` instead, on the threads that log them. Call once, before the others start.
void set_sink(std::function<void(Severity, std::string_view)> sink);

/// Drops lines that were logged before, from now on: for a program that begins anew.
void say_nothing_again();

void debug(std::string_view text);
void info(std::string_view text);
void warn(std::string_view text);
void error(std::string_view text);

}  // namespace graphrun::log
