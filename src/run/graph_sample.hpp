// What processes of one run compare, to find out that they have the same graph.
#pragma once

#include <cstdint>

#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// Returns a checksum of some offsets and edges, or of offsets alone where edges are `elsewhere`. It tells most graphs apart, and
/// is the same for packed and for plain lists. Throws DataError for a damaged packed list.
std::uint64_t sample_of(const Graph& graph, bool elsewhere);

}  // namespace graphrun::inline GR_IDS
