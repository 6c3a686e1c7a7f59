// SPDX-License-Identifier: Apache-2.0
// The code under test as it is, and copies of it with a bug each: every variant is compiled in a namespace of its own, and
// brings the scenarios that it was compiled with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explorer.hpp"

namespace model {

struct Scenario {
  std::string name;
  bool fair_schedules_end;  ///< not only some schedule from every state, but all that give each thread its steps
  std::function<Report()> explore;
};

/// "original" or the name of a bug, and its scenarios.
inline std::map<std::string, std::vector<Scenario>>& variants() {
  static std::map<std::string, std::vector<Scenario>> all;
  return all;
}

struct Registration {
  Registration(const std::string& variant, std::vector<Scenario> scenarios) {
    auto& those = variants()[variant];
    those.insert(those.end(), std::make_move_iterator(scenarios.begin()), std::make_move_iterator(scenarios.end()));
  }
};

}  // namespace model
