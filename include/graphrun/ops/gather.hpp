// SPDX-License-Identifier: Apache-2.0
// Gathers the edges of planned rows from the graph into one buffer, with all host threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "graphrun/core/parallel.hpp"
#include "graphrun/ops/subgraph.hpp"

namespace graphrun::inline GR_IDS {

inline constexpr std::size_t kGatherGrain = std::size_t{1} << 16;  // edges a worker copies at a time

/// Copies edges [begin, end) of the plan by one thread. Rows that also follow each other in the graph are one copy.
template <class T>
void gather_alone(const PlannedRows& plan, EdgeId begin, EdgeId end, const T* from, T* to) {
  constexpr std::uint64_t kRowsAhead = 8;
  if (begin == end) return;
  auto row = static_cast<std::uint64_t>(std::upper_bound(plan.places, plan.places + plan.count, begin) - plan.places) - 1;
  EdgeId run = plan.sources[row] + (begin - plan.places[row]);  // in the graph
  EdgeId copied = begin;                                        // in the plan
  for (EdgeId reached = begin; reached < end;) {
    reached = std::min(end, plan.places[row + 1]);
    ++row;
    if (row + kRowsAhead < plan.count) __builtin_prefetch(from + plan.sources[row + kRowsAhead]);
    if (reached < end && plan.sources[row] == run + (reached - copied)) continue;
    std::memcpy(to + (copied - begin), from + run, (reached - copied) * sizeof(T));
    copied = reached;
    if (reached < end) run = plan.sources[row];
  }
}

/// Copies edges [begin, end) of the plan.
template <class T>
void gather(ThreadPool& pool, const PlannedRows& plan, EdgeId begin, EdgeId end, const T* from, T* to) {
  parallel_chunks(pool, end - begin, kGatherGrain, [&](std::size_t first, std::size_t last, int) {
    gather_alone(plan, begin + first, begin + last, from, to + first);
  });
}

}  // namespace graphrun::inline GR_IDS
