// How a benchmark ends: what it throws becomes one sentence, and the exit code that all programs of this project share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <type_traits>

#include "graphrun/core/error.hpp"

namespace graphrun::bench {

template <class Run>
int exit_code_of(Run&& run) {
  const auto end = [](const std::exception& error, ExitCode code) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(code);
  };
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Run>>) {
      run();
      return static_cast<int>(ExitCode::done);
    } else {
      return run();
    }
  } catch (const cxxopts::exceptions::exception& error) {
    return end(error, ExitCode::usage);
  } catch (const Error& error) {
    return end(error, error.code());
  } catch (const std::exception& error) {
    return end(error, ExitCode::failed);
  }
}

}  // namespace graphrun::bench
