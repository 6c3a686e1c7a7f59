// The log. Goes to stderr; results go to stdout. A thin wall around spdlog, which CUDA C++20 sources cannot include:
// callers format their own text.
#pragma once

#include <functional>
#include <string_view>

namespace graphrun::log {

enum class Level { quiet, normal, verbose };

/// Threads: call once, before the others start.
void set_level(Level level);

enum class Severity { debug, info, warning, error };
/// Has all lines handed to `sink` instead, those of all levels, on the threads that say them. Once, before the others start.
void set_sink(std::function<void(Severity, std::string_view)> sink);

/// From now on lines that were said before are left out: for a program that begins anew.
void say_nothing_again();

void debug(std::string_view text);
void info(std::string_view text);
void warn(std::string_view text);
void error(std::string_view text);

}  // namespace graphrun::log
