// The header of KONECT's files out.*: "% bip weighted", then perhaps "% EDGES LEFT RIGHT".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

struct KonectHeader {
  bool bipartite = false;   ///< bip: both columns count from 1, each its own vertices
  bool undirected = false;  ///< sym: each edge is listed once
  /// Vertices in the first and in the second column.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes = {};
};

/// Nothing where `path` is no text of KONECT.
std::optional<KonectHeader> konect_header(const std::string& path);

}  // namespace graphrun::io::inline GR_IDS
