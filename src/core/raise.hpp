// Errors whose sentence is put together where they are thrown.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun {

/// Throws E with the sentence that fmt::format() makes.
template <class E, class... Args>
[[noreturn, gnu::cold]] void raise(fmt::format_string<Args...> sentence, Args&&... args) {
  throw E(fmt::format(sentence, std::forward<Args>(args)...));
}

/// The same, and behind a colon what the system says of the call that failed last.
template <class E, class... Args>
[[noreturn, gnu::cold]] void raise_errno(fmt::format_string<Args...> sentence, Args&&... args) {
  const char* const reason = std::strerror(errno);
  throw E(fmt::format("{}: {}", fmt::format(sentence, std::forward<Args>(args)...), reason));
}

}  // namespace graphrun
