// SPDX-License-Identifier: Apache-2.0

#include <atomic>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {

std::vector<std::uint32_t> levels_from_parents(const std::vector<VertexId>& parents, VertexId source, ThreadPool& pool) {
  std::vector<std::uint32_t> levels(parents.size(), kUnreachedLevel);
  levels[source] = 0;
  // Threads on common paths store the same levels.
  const auto level_of = [&](VertexId v) { return std::atomic_ref(levels[v]); };
  parallel_for(
      pool, parents.size(),
      [&](std::size_t start) {
        auto top = static_cast<VertexId>(start);
        std::uint32_t level = level_of(top).load(std::memory_order_relaxed);
        std::size_t hops = 0;
        // A path longer than the graph is a cycle: leave it unreached for the verifier to report.
        while (level == kUnreachedLevel && parents[top] != kNoVertex && hops < parents.size()) {
          top = parents[top];
          level = level_of(top).load(std::memory_order_relaxed);
          ++hops;
        }
        if (level == kUnreachedLevel) return;
        auto v = static_cast<VertexId>(start);
        for (level += static_cast<std::uint32_t>(hops); v != top; v = parents[v])
          level_of(v).store(level--, std::memory_order_relaxed);
      },
      1 << 16);
  return levels;
}

}  // namespace graphrun::inline GR_IDS
