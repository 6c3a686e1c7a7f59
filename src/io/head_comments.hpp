// SPDX-License-Identifier: Apache-2.0
// The comments before the first edge of a list: SNAP's "# Nodes: N Edges: M", KONECT's "% bip weighted" and "% EDGES LEFT RIGHT".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "graphrun/core/types.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

struct HeadComments {
  bool bipartite = false;   ///< KONECT's bip: both columns count from 1, each its own vertices
  bool undirected = false;  ///< each edge is listed once
  /// KONECT: vertices in the first and in the second column.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes = {};
  AnnouncedCounts announced = {};
};

/// Reads the first 4 KiB of a text, whatever separates its columns.
HeadComments read_head_comments(const std::string& path);

}  // namespace graphrun::io::inline GR_IDS
