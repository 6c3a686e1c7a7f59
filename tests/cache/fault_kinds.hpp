// SPDX-License-Identifier: Apache-2.0
// What can go wrong with storage, and what errors must then name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/faulty_engine.hpp"

namespace graphrun::test {

struct FaultKind {
  const char* name;
  FaultPlan plan;                   ///< but for its seed
  std::vector<const char*> causes;  ///< one of which an error must name; none: no run may fail
  int runs_in_memory;
  int runs_of_a_file;
};

inline constexpr const char* kMadeToFail = "a read that was made to fail";
inline constexpr const char* kMadeShort = "a read that was made to end early";
inline constexpr const char* kLate = "did not arrive within";
inline constexpr const char* kNoFrameFree = "no frame became free";
inline constexpr const char* kNoSlotFree = "no place in a queue became free";

inline const std::vector<FaultKind> kFaultKinds = {
    {"delayed", {.delayed = 300}, {}, 1700, 200},
    {"duplicated", {.duplicated = 200}, {}, 1700, 200},
    {"delayed_and_duplicated", {.delayed = 200, .duplicated = 200}, {}, 1700, 200},
    {"failing", {.failing = 10}, {kMadeToFail}, 1000, 300},
    {"short", {.short_reads = 10}, {kMadeShort}, 1000, 300},
    {"all_but_dropped", {.delayed = 100, .duplicated = 50, .failing = 5, .short_reads = 5}, {kMadeToFail, kMadeShort}, 1300, 300},
    {"dropped", {.dropped = 10}, {kLate, kNoFrameFree, kNoSlotFree}, 150, 50},
    {"all",
     {.delayed = 100, .dropped = 5, .duplicated = 50, .failing = 5, .short_reads = 5},
     {kMadeToFail, kMadeShort, kLate, kNoFrameFree, kNoSlotFree},
     150,
     50},
};

inline bool names_one_of(const std::string& error, const std::vector<const char*>& causes) {
  return std::any_of(causes.begin(), causes.end(), [&](const char* cause) { return error.find(cause) != std::string::npos; });
}

}  // namespace graphrun::test
