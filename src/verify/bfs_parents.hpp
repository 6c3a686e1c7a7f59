// SPDX-License-Identifier: Apache-2.0
// Rules for a parent in a tree whose levels are right.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/graph/names.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Returns "level 3" or "unreached".
inline std::string level_name(std::uint32_t level) {
  return level == kUnreachedLevel ? "unreached" : fmt::format("level {}", level);
}

inline std::string parent_name(VertexId parent, const VertexNames& names) {
  return parent == kNoVertex ? "no parent" : fmt::format("parent {}", names.text(parent));
}

/// Checks the parent of v; `has_arc`: the graph has the arc parent -> v.
inline Verdict check_parent(const BfsOutput& output, VertexId v, bool has_arc, const VertexNames& names) {
  const std::vector<std::uint32_t>& levels = output.levels;
  const VertexId parent = output.parents[v];
  if (levels[v] == kUnreachedLevel || v == output.source) {
    const VertexId expected = v == output.source ? output.source : kNoVertex;
    if (parent == expected) return {};
    return wrong("vertex {}: {}, expected {}", names.text(v), parent_name(parent, names), parent_name(expected, names));
  }
  if (parent >= levels.size())
    return wrong("vertex {}: {}, but it is at level {}", names.text(v), parent_name(parent, names), levels[v]);
  if (levels[parent] == kUnreachedLevel)
    return wrong("vertex {}: at level {}, but its parent {} is unreached", names.text(v), levels[v], names.text(parent));
  if (levels[parent] + 1 != levels[v])
    return wrong("vertex {}: at level {}, but its parent {} has level {}", names.text(v), levels[v], names.text(parent),
                 levels[parent]);
  if (!has_arc) return wrong("vertex {}: there is no arc from its parent {}", names.text(v), names.text(parent));
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
