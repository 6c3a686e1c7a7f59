// SPDX-License-Identifier: Apache-2.0
// Guesses of a reader, and parts of a file that it left out: a warning each, and a fact of the graph.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/log.hpp"

namespace graphrun::io {

/// Sentences about one input, in the order in which they arise. Each is logged as a warning, which --quiet shows, and becomes one
/// of Graph::assumptions. Not for several threads at once.
class Assumptions {
 public:
  /// Warns of `sentence`, which names the file and, where there is one, the line. A sentence is said once, also where entries are
  /// read again.
  void add(std::string sentence) {
    if (std::find(all_.begin(), all_.end(), sentence) != all_.end()) return;
    log::warn(sentence);
    all_.push_back(std::move(sentence));
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

}  // namespace graphrun::io
