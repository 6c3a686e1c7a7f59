// SPDX-License-Identifier: Apache-2.0

#include "state_graph.hpp"

#include <algorithm>

namespace model {

std::optional<std::size_t> StateGraph::state_without_end() const {
  // Steps backwards, grouped by where they lead to.
  std::vector<std::size_t> first(states() + 1, 0);
  for (const Step& step : steps_) ++first[step.to + 1];
  for (std::size_t state = 0; state < states(); ++state) first[state + 1] += first[state];
  std::vector<std::uint32_t> from(steps_.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t state = 0; state < states(); ++state) {
    for (std::size_t i = first_step_[state]; i < end_of(state); ++i)
      from[next[steps_[i].to]++] = static_cast<std::uint32_t>(state);
  }

  std::vector<bool> leads_to_end = is_end_;
  std::vector<std::uint32_t> waiting;
  for (std::size_t state = 0; state < states(); ++state) {
    if (is_end_[state]) waiting.push_back(static_cast<std::uint32_t>(state));
  }
  while (!waiting.empty()) {
    const std::uint32_t state = waiting.back();
    waiting.pop_back();
    for (std::size_t i = first[state]; i < first[state + 1]; ++i) {
      if (leads_to_end[from[i]]) continue;
      leads_to_end[from[i]] = true;
      waiting.push_back(from[i]);
    }
  }
  const auto found = std::find(leads_to_end.begin(), leads_to_end.end(), false);
  if (found == leads_to_end.end()) return std::nullopt;
  return static_cast<std::size_t>(found - leads_to_end.begin());
}

/// Tarjan's algorithm with a stack of its own.
std::vector<std::uint32_t> StateGraph::components() const {
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  struct Visit {
    std::uint32_t state;
    std::size_t next_step;
  };
  std::vector<std::uint32_t> component(states(), kUnseen);
  std::vector<std::uint32_t> index(states(), kUnseen);
  std::vector<std::uint32_t> lowest(states(), 0);
  std::vector<std::uint32_t> open;
  std::vector<Visit> visits;
  std::uint32_t seen = 0;
  std::uint32_t closed = 0;
  const auto visit = [&](std::uint32_t state) {
    index[state] = lowest[state] = seen++;
    open.push_back(state);
    visits.push_back({state, first_step_[state]});
  };
  const auto close = [&](std::uint32_t root) {
    for (std::uint32_t state = kUnseen; state != root; open.pop_back()) component[state = open.back()] = closed;
    ++closed;
  };
  visit(0);  // all states were reached from the first
  while (!visits.empty()) {
    Visit& top = visits.back();
    const std::uint32_t state = top.state;
    if (top.next_step < end_of(state)) {
      const std::uint32_t to = steps_[top.next_step++].to;
      if (index[to] == kUnseen) {
        visit(to);
      } else if (component[to] == kUnseen) {
        lowest[state] = std::min(lowest[state], index[to]);
      }
      continue;
    }
    visits.pop_back();
    if (lowest[state] == index[state]) close(state);
    if (!visits.empty()) lowest[visits.back().state] = std::min(lowest[visits.back().state], lowest[state]);
  }
  return component;
}

std::uint64_t StateGraph::fair_cycles() const {
  const std::vector<std::uint32_t> component = components();
  // Bits of threads: those that have not ended, and those with a step within the component.
  std::vector<unsigned> live(states(), 0);
  std::vector<unsigned> inside(states(), 0);
  for (std::size_t state = 0; state < states(); ++state) {
    for (std::size_t i = first_step_[state]; i < end_of(state); ++i) {
      live[component[state]] |= 1u << steps_[i].thread;
      if (component[steps_[i].to] == component[state]) inside[component[state]] |= 1u << steps_[i].thread;
    }
  }
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < states(); ++i) count += live[i] != 0 && inside[i] == live[i] ? 1 : 0;
  return count;
}

}  // namespace model
