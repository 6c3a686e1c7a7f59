// SPDX-License-Identifier: Apache-2.0
// States and the steps between them, for what can be said only of all of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace model {

/// States are numbered in the order in which they begin.
class StateGraph {
 public:
  void begin_state() {
    first_step_.push_back(steps_.size());
    is_end_.push_back(false);
  }
  /// Of the state begun last.
  void add_step(std::uint32_t to, std::uint8_t thread) { steps_.push_back({to, thread}); }
  void mark_end() { is_end_.back() = true; }

  std::uint64_t steps() const { return steps_.size(); }
  /// The first state from which no way leads to an end.
  std::optional<std::size_t> state_without_end() const;
  /// Sets of states that lead round among themselves by steps of every thread that has not ended: a scheduler that gives each
  /// thread its steps may stay there for ever. A thread that only waits for another is none: the other's steps lead out.
  std::uint64_t fair_cycles() const;

 private:
  struct Step {
    std::uint32_t to;
    std::uint8_t thread;
  };

  std::size_t states() const { return first_step_.size(); }
  std::size_t end_of(std::size_t state) const { return state + 1 < states() ? first_step_[state + 1] : steps_.size(); }
  /// For each state the number of the set of states that lead to each other.
  std::vector<std::uint32_t> components() const;

  std::vector<std::size_t> first_step_;
  std::vector<bool> is_end_;
  std::vector<Step> steps_;
};

}  // namespace model
