// SPDX-License-Identifier: Apache-2.0
// How stages of a job are shown.
#pragma once

#include <chrono>

namespace graphrun {

struct ProgressLook {
  bool redrawn = false;  ///< on a terminal: one line, as wide as the environment variable COLUMNS says, else as the terminal is
  int descriptor = 2;
  std::chrono::milliseconds patience = std::chrono::seconds(1);        ///< how long a stage has lasted at least
  std::chrono::milliseconds between_lines = std::chrono::seconds(10);  ///< where lines stay
};

/// Returns what suits the descriptor: lines that stay where it is no terminal or the environment variable TERM is "dumb".
ProgressLook look_for(int descriptor);

/// Shows stages so from now on.
void show_progress(const ProgressLook& look);

}  // namespace graphrun
