// SPDX-License-Identifier: Apache-2.0
// Checksums by which processes of one run, and runs of one checkpoint, compare their graphs.
#pragma once

#include <cstdint>

#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// Returns a checksum of some offsets and edges, or of offsets alone where edges are `elsewhere`. It differs for most graphs, and
/// is equal for packed and plain lists. Throws DataError for a damaged packed list.
std::uint64_t sample_of(const Graph& graph, bool elsewhere);

/// Returns the checksum of a container, or of all offsets, lists and weights of another graph that are in memory.
std::uint64_t checksum_of(const Graph& graph);

}  // namespace graphrun::inline GR_IDS
