// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "graphrun/core/error.hpp"

namespace graphrun::test {

/// Returns the message with which act() is rejected.
inline std::string refusal(const auto& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it was accepted";
}

}  // namespace graphrun::test
