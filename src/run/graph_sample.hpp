// SPDX-License-Identifier: Apache-2.0
// A checksum by which processes of one run compare their graphs.
#pragma once

#include <cstdint>

#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// Returns a checksum of some offsets and edges, or of offsets alone where edges are `elsewhere`. It differs for most graphs, and
/// is equal for packed and plain lists. Throws DataError for a damaged packed list.
std::uint64_t sample_of(const Graph& graph, bool elsewhere);

}  // namespace graphrun::inline GR_IDS
