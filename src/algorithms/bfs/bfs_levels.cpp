// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kLevelsAtOnce = 1 << 16;  // of a thread
constexpr std::size_t kLevelsAhead = 32;        // vertices: the distance of prefetching

}  // namespace

std::vector<std::uint32_t> levels_from_parents(const std::vector<VertexId>& parents, VertexId source, ThreadPool& pool,
                                               std::vector<std::uint32_t> levels) {
  reserve_huge(levels, parents.size());
  levels.resize(parents.size());
  parallel_chunks(pool, levels.size(), kLevelsAtOnce, [&](std::size_t begin, std::size_t end, int) {
    std::fill(levels.data() + begin, levels.data() + end, kUnreachedLevel);
  });
  levels[source] = 0;
  // Threads on common paths store the same levels.
  const auto level_of = [&](VertexId v) { return std::atomic_ref(levels[v]); };
  const auto climb = [&](VertexId start) {
    VertexId top = start;
    std::uint32_t level = kUnreachedLevel;
    std::size_t hops = 0;
    // A path longer than the graph is a cycle: leave it unreached for the verifier to report.
    while (level == kUnreachedLevel && parents[top] != kNoVertex && hops < parents.size()) {
      top = parents[top];
      level = level_of(top).load(std::memory_order_relaxed);
      ++hops;
    }
    if (level == kUnreachedLevel) return;
    VertexId v = start;
    for (level += static_cast<std::uint32_t>(hops); v != top; v = parents[v])
      level_of(v).store(level--, std::memory_order_relaxed);
  };
  // Returns v itself where it has no parent, without a branch, which would be mispredicted.
  const auto above = [&](std::size_t v) {
    const VertexId none = VertexId{0} - VertexId{parents[v] == kNoVertex};  // all bits, or no bit
    return (static_cast<VertexId>(v) & none) | (parents[v] & ~none);
  };
  parallel_chunks(pool, parents.size(), kLevelsAtOnce, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      const VertexId later = above(std::min(v + kLevelsAhead, end - 1));
      prefetch(&levels[later]), prefetch(&parents[later]);
      const VertexId from = above(v);
      const std::uint32_t level = level_of(from).load(std::memory_order_relaxed);
      if ((level == kUnreachedLevel) & (from != v))
        climb(static_cast<VertexId>(v));
      else
        level_of(static_cast<VertexId>(v)).store(level + (from != v), std::memory_order_relaxed);
    }
  });
  return levels;
}

}  // namespace graphrun::inline GR_IDS
