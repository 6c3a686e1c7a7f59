// SPDX-License-Identifier: Apache-2.0
// Statistics of a graph.
#pragma once

#include <array>
#include <cstdint>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

/// Results of one pass over the lists of a Csr.
struct ListStatistics {
  EdgeId max_degree = 0;
  VertexId empty_lists = 0;
  std::uint64_t self_loops = 0;                          ///< arcs from a vertex to itself, repeated ones counted each time
  std::uint64_t duplicates = 0;                          ///< arcs less distinct pairs (source, target)
  bool sorted = true;                                    ///< every list ascends
  std::array<std::uint64_t, 65> lists_by_degree_bits{};  ///< [b]: lists whose degree has b bits: 2^(b-1) .. 2^b - 1; [0]: empty
};

/// Examines all lists of `csr`, which must be consistent (check_csr).
ListStatistics examine_lists(const Csr& csr, ThreadPool& pool, const Workspace& space = {});

/// Counts vertices without any arc in or out; a self loop is an arc. Takes a bit a vertex of memory.
VertexId count_isolated(const Graph& graph, ThreadPool& pool, const Workspace& space = {});

}  // namespace graphrun::inline GR_IDS
