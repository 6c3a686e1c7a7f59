// SPDX-License-Identifier: Apache-2.0
// A limit of algorithms that count the edges of a vertex in a VertexId.
#pragma once

#include <cstdint>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::inline GR_IDS {

struct HasTooManyEdges {
  Rows rows;
  GR_HD std::uint64_t operator()(std::size_t v) const { return rows.degree(static_cast<VertexId>(v)) >= kNoVertex; }
};

/// Throws UsageError, naming `algorithm`, when a vertex has more edges than a VertexId counts.
template <class Exec>
void require_countable(Exec& exec, const char* algorithm, const Rows& rows) {
  if (vertex_sum<std::uint64_t>(exec, rows.num_vertices, HasTooManyEdges{rows}) == 0) return;
  throw UsageError(std::string(algorithm) + " counts up to " + std::to_string(kNoVertex - 1) +
                   " edges of a vertex, and one has more");
}

}  // namespace graphrun::inline GR_IDS
