// How a benchmark ends: what it throws becomes one sentence, and the exit code that all programs of this project share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cxxopts.hpp>
#include <exception>

#include "graphrun/core/error.hpp"

namespace graphrun::bench {

template <class Run>
int exit_code_of(Run&& run) {
  const auto end = [](const std::exception& error, ExitCode code) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(code);
  };
  try {
    run();
    return static_cast<int>(ExitCode::done);
  } catch (const cxxopts::exceptions::exception& error) {
    return end(error, ExitCode::usage);
  } catch (const Error& error) {
    return end(error, error.code());
  } catch (const std::exception& error) {
    return end(error, ExitCode::failed);
  }
}

}  // namespace graphrun::bench
