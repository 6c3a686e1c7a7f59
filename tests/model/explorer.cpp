// SPDX-License-Identifier: Apache-2.0

#include "explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "state_graph.hpp"

namespace model {
namespace {

class Explorer {
 public:
  Explorer(Program program, std::uint64_t most_states) : world_(std::move(program)), most_states_(most_states) {}

  Report run() {
    world_.restart();
    intern(kNoState, {});
    for (std::uint32_t state = 0; state < ways_.size() && report_.violation.empty(); ++state) expand(state);
    report_.states = ways_.size();
    report_.steps = graph_.steps();
    if (report_.violation.empty()) check_endings();
    return std::move(report_);
  }

 private:
  static constexpr std::uint32_t kNoState = ~std::uint32_t{0};

  /// How a state was reached first, and so on a shortest way.
  struct Way {
    std::uint32_t from;
    Move move;
  };

  /// The state the world is in; a new one is expanded later.
  std::uint32_t intern(std::uint32_t from, Move move) {
    const auto next = static_cast<std::uint32_t>(ways_.size());
    const auto [found, fresh] = numbers_.try_emplace(world_.hash(), next);
    if (fresh) ways_.push_back({from, move});
    return found->second;
  }

  void expand(std::uint32_t state) {
    if (state >= most_states_) {
      report_.too_many = true;
      return violate(state, nullptr, fmt::format("more than {} states", most_states_));
    }
    go_to(state);
    graph_.begin_state();
    if (world_.ended()) return end(state);
    for (bool there = true; const Move move : world_.moves()) {
      if (!there) go_to(state);
      world_.perform(move);
      if (!world_.violation().empty()) return violate(state, &move, world_.violation());
      graph_.add_step(intern(state, move), move.thread);
      there = false;
    }
  }

  void end(std::uint32_t state) {
    graph_.mark_end();
    ++report_.ends;
    world_.check_end();
    if (!world_.violation().empty()) violate(state, nullptr, world_.violation());
  }

  void go_to(std::uint32_t state) {
    way_.clear();
    for (; ways_[state].from != kNoState; state = ways_[state].from) way_.push_back(ways_[state].move);
    world_.restart();
    for (auto move = way_.rbegin(); move != way_.rend(); ++move) world_.perform(*move);
  }

  void violate(std::uint32_t state, const Move* last, const std::string& message) {
    report_.violation = message;
    world_.keep_trace();
    go_to(state);
    if (last != nullptr) world_.perform(*last);
    report_.trace = world_.trace();
  }

  void check_endings() {
    if (const auto stuck = graph_.state_without_end()) {
      violate(static_cast<std::uint32_t>(*stuck), nullptr, "from here no schedule ends");
    } else {
      report_.fair_cycles = graph_.fair_cycles();
    }
  }

  World world_;
  std::uint64_t most_states_;
  Report report_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<Way> ways_;
  std::vector<Move> way_;
  StateGraph graph_;
};

}  // namespace

Report explore(Program program, std::uint64_t most_states) { return Explorer(std::move(program), most_states).run(); }

}  // namespace model
