// SPDX-License-Identifier: Apache-2.0
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

/// Throws the same with the reason of the last failed system call after a colon.
template <class E, class... Args>
[[noreturn, gnu::cold]] void raise_errno(fmt::format_string<Args...> sentence, Args&&... args) {
  const char* const reason = std::strerror(errno);
  throw E(fmt::format("{}: {}", fmt::format(sentence, std::forward<Args>(args)...), reason));
}

}  // namespace graphrun
