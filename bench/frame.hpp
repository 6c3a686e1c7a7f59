// What measuring programs share: how they end, and how they sum up. What they throw becomes one sentence, and the exit code that
// all programs of this project share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun::bench {

/// What main() returns: prints the help where it is asked for, else calls run(given).
template <class Run>
int run_program(cxxopts::Options& parser, int argc, char** argv, Run&& run) {
  const auto end = [](const std::exception& error, ExitCode code) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(code);
  };
  parser.add_options()("h,help", "print this");
  try {
    const cxxopts::ParseResult given = parser.parse(argc, argv);
    if (given.count("help") == 0)
      run(given);
    else
      fmt::print("{}\n", parser.help());
    return static_cast<int>(ExitCode::done);
  } catch (const cxxopts::exceptions::exception& error) {
    return end(error, ExitCode::usage);
  } catch (const Error& error) {
    return end(error, error.code());
  } catch (const std::exception& error) {
    return end(error, ExitCode::failed);
  }
}

/// The larger of the two in the middle. Precondition: there are some.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace graphrun::bench
