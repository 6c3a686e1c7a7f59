// SPDX-License-Identifier: Apache-2.0
// The frame of measuring programs: their options, exit codes, medians, and the JSON that they print. Their exceptions become one
// sentence, and an exit code as in all programs of this project.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun::bench {

using Texts = std::vector<std::string>;

/// Returns the value of an option; `otherwise` where it is not given.
template <class T = std::string>
std::shared_ptr<cxxopts::Value> with_default(const char* otherwise) {
  return cxxopts::value<T>()->default_value(otherwise);
}

/// Returns main()'s exit code: prints the help where it is asked for, else calls run(given).
template <class Run>
int run_program(cxxopts::Options& parser, int argc, char** argv, Run&& run) {
  parser.add_options()("h,help", "print this");
  try {
    const cxxopts::ParseResult given = parser.parse(argc, argv);
    if (given.count("help") == 0)
      run(given);
    else
      fmt::print("{}\n", parser.help());
    return static_cast<int>(ExitCode::done);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    const auto* ours = dynamic_cast<const Error*>(&error);
    const bool is_usage = dynamic_cast<const cxxopts::exceptions::exception*>(&error) != nullptr;
    return static_cast<int>(ours != nullptr ? ours->code() : is_usage ? ExitCode::usage : ExitCode::failed);
  }
}

inline std::string as_json(std::string_view text) { return fmt::format("\"{}\"", text); }
inline std::string as_json(double value) { return fmt::format("{:.3f}", value); }
template <std::integral T>
std::string as_json(T value) {
  return fmt::format("{}", value);
}
template <class T>
std::string as_json(const std::optional<T>& value) {
  return value ? as_json(*value) : "null";
}

inline void append_json(std::string&) {}
template <class Value, class... Rest>
void append_json(std::string& line, const char* name, const Value& value, const Rest&... rest) {
  line += fmt::format("{}\"{}\": {}", line.empty() ? "{" : ", ", name, as_json(value));
  append_json(line, rest...);
}
/// Prints a line, with names and values in turn.
template <class... Parts>
void print_json(const Parts&... parts) {
  std::string line;
  append_json(line, parts...);
  fmt::print("{}}}\n", line);
  std::fflush(stdout);
}

}  // namespace graphrun::bench
