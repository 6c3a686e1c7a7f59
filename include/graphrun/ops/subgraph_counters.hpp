// SPDX-License-Identifier: Apache-2.0
// Limits of subgraphs, and the cost of making them.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

struct SubgraphOptions {
  EdgeId capacity = 0;       ///< edges there is room for
  bool weighted = false;     ///< room for their weights, too
  bool asynchronous = true;  ///< a subgraph is worked on until nothing in it changes
  VertexId num_vertices = 0;
  std::uint64_t most_vertices = ~std::uint64_t{0};  ///< in a plan of host threads; a GPU plans all
  std::uint64_t most_rows = 0;                      ///< in a plan: vertices and pieces of cut lists
  int threads = 0;                                  ///< host threads that gather; 0 for all
};

/// Wall-clock times of the host. The rest is spent computing over subgraphs.
struct SubgraphCounters {
  std::uint64_t subgraphs = 0;
  std::uint64_t bytes = 0;   ///< of edges and weights that were put beside the processor
  std::uint64_t copies = 0;  ///< bulk copies
  double find_ms = 0;        ///< planning rows: active vertices and places of their edges
  double gather_ms = 0;      ///< host threads copying
  double copy_ms = 0;        ///< waiting for bulk copies over the link
};

}  // namespace graphrun::inline GR_IDS
