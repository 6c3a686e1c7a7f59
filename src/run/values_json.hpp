// SPDX-License-Identifier: Apache-2.0
// An option's value as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "graphrun/core/option.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

inline nlohmann::ordered_json value_json(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

struct Environment;
nlohmann::ordered_json program_json(const Environment& environment);
nlohmann::ordered_json machine_json(const Environment& environment);

struct GraphFacts;
nlohmann::ordered_json graph_json(const GraphFacts& graph);
struct Summary;
nlohmann::ordered_json summary_json(const Summary& summary);

struct RunPlan;
nlohmann::ordered_json plan_json(const RunPlan& plan);

}  // namespace graphrun::inline GR_IDS
