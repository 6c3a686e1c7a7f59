// SPDX-License-Identifier: Apache-2.0
// Operators over work items that an algorithm listed, on host threads. Contract: operators.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/core/parallel.hpp"
#include "graphrun/ops/cpu_ahead.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_ranks.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/ops/subway_operators.hpp"
#include "graphrun/view/paged_view.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Calls visit(i, first edge, walk) for each item; walk(visit_edge) traverses its edges.
template <class Weight, WalkableView View, class Visit>
void for_each_listed(CpuExecutor& exec, const View& edges, const WorkItem* items, std::size_t n, const Visit& visit) {
  constexpr std::size_t kItemGrain = 256;
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<is_weighted<Weight>>(exec.pool()))
      return for_each_listed<Weight>(exec, *array, items, n, visit);
  }
  for_each_piece<Weight>(
      exec, edges, Pieces(n, kItemGrain), [&](std::size_t i) { return items[i]; },
      [&](std::size_t begin, std::size_t end, int) {
        typename View::Reader reader(edges);
        for (std::size_t i = begin; i < end; ++i) {
          if (i + View::kLookahead < end) edges.prefetch(items[i + View::kLookahead]);
          visit(i, items[i].begin, [&](auto&& each) { walk<Weight>(reader, items[i], each); });
        }
      });
}

template <class Weight, class Visit>
void for_each_listed(CpuExecutor& exec, const CpuSubwayView& edges, const WorkItem* items, std::size_t n, const Visit& visit) {
  CpuSubgraphs& maker = *edges.subgraphs;
  maker.make_plan(n, [items](std::size_t i, auto& take) {
    take(WorkItem{static_cast<VertexId>(i), items[i].begin, items[i].end});  // the row's vertex is the item's number
  });
  subway::for_each_subgraph(maker, edges.edges, is_weighted<Weight>, maker.pass_room(), [&](const Subgraph& part) {
    parallel_for(
        exec.pool(), part.rows.count,
        [&](std::size_t row) {
          const WorkItem item = part.rows.item(row);
          visit(item.vertex, part.rows.sources[row], [&](auto&& each) { walk<Weight>(part.edges, item, each); });
        },
        64);
  });
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class View, class F>
void edge_map_picked_here(CpuExecutor& exec, const Rows&, const View& edges, const WorkItem* items, std::size_t n, F f) {
  cpu::for_each_listed<NoWeight>(exec, edges, items, n, [&](std::size_t i, EdgeId, const auto& walk_item) {
    walk_item([&](VertexId v, NoWeight) {
      f(i, v);
      return true;
    });
  });
}

template <class View, class F>
void edge_map_serial(CpuExecutor& exec, const Rows&, const View& edges, const WorkItem* items, std::size_t n, F f) {
  ranks::require_one_after_another(exec);
  using Weight = typename F::Weight;
  cpu::for_each_listed<Weight>(exec, edges, items, n, [&](std::size_t i, EdgeId e, const auto& walk_item) {
    walk_item([&](VertexId, Weight w) {
      if (!f.skips(i, e, w)) f(i, e, w);
      ++e;
      return true;
    });
  });
}

}  // namespace graphrun::inline GR_IDS
