// SPDX-License-Identifier: Apache-2.0
// All interleavings of a program's threads, breadth first, each state once. A state is reached by running the program again
// from its start, so nothing of it needs to be copied.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "world.hpp"

namespace model {

struct Report {
  std::uint64_t states = 0;
  std::uint64_t steps = 0;         ///< from one state to another
  std::uint64_t ends = 0;          ///< states in which all threads have ended
  bool too_many = false;           ///< states: it gave up, and says so as a violation
  std::string violation;           ///< what went wrong on the shortest way to it; empty: nothing
  std::vector<std::string> trace;  ///< the accesses on that way
  /// States from which some thread may run for ever although every thread is given steps again and again.
  std::uint64_t fair_cycles = 0;
};

inline constexpr std::uint64_t kMostStates = 1'000'000;

/// Stops at the first violation: what the program requires, a race, a state from which no schedule ends, or too many states.
/// Threads that can hinder each other for ever within the code under test, between two calls of at(), have no end of states.
Report explore(Program program, std::uint64_t most_states = kMostStates);

/// A program over a copy of `initial`, which is plain data.
template <class State>
struct Model {
  State initial{};
  std::vector<std::function<void(State&)>> threads;
  std::function<void(State&)> at_end = [](State&) {};
  std::function<void(State&)> normalise = [](State&) {};
};

template <class State>
Report explore(const Model<State>& model) {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % 8 == 0);
  const auto state = std::make_unique<State>(model.initial);
  State& shared = *state;
  Program program{.shared = &shared,
                  .bytes = sizeof(State),
                  .bodies = {},
                  .normalise = [&] { model.normalise(shared); },
                  .at_end = [&] { model.at_end(shared); }};
  for (const auto& thread : model.threads) program.bodies.push_back([&shared, &thread] { thread(shared); });
  return explore(std::move(program));
}

}  // namespace model
