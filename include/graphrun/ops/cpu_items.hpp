// SPDX-License-Identifier: Apache-2.0
// Operators over work items that an algorithm listed, on host threads. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/ops/cpu_ahead.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_ranks.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/ops/subway_operators.hpp"
#include "graphrun/view/paged_view.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Returns the numbers of the items in about the order of their edges: sorted by their upper bits, as many as there are items.
/// Returns none where the items are in order.
inline Column<std::size_t> order_of(ThreadPool& pool, const WorkItem* items, std::size_t n) {
  if (std::is_sorted(items, items + n, [](const WorkItem& a, const WorkItem& b) { return a.begin < b.begin; })) return {};
  const EdgeId last =
      std::max_element(items, items + n, [](const WorkItem& a, const WorkItem& b) { return a.begin < b.begin; })->begin;
  const auto bits = [](std::uint64_t number) { return static_cast<int>(std::bit_width(number)); };
  const int shift = std::max(0, bits(last) - bits(n));
  auto starts = Column<std::size_t>::allocate((last >> shift) + 1);
  std::fill_n(starts.data(), starts.size(), std::size_t{0});
  const auto bucket = [&](std::size_t i) { return std::atomic_ref<std::size_t>(starts.data()[items[i].begin >> shift]); };
  parallel_for(pool, n, [&](std::size_t i) { bucket(i).fetch_add(1, std::memory_order_relaxed); });
  exclusive_scan(pool, starts.data(), starts.size());
  auto order = Column<std::size_t>::allocate(n);
  parallel_for(pool, n, [&](std::size_t i) { order.data()[bucket(i).fetch_add(1, std::memory_order_relaxed)] = i; });
  return order;
}

/// Calls visit(i, item, first edge, walk) for each item; walk(part, visit_edge) traverses edges of the item.
template <class Weight, WalkableView View, class Visit>
void for_each_listed(CpuExecutor& exec, const View& edges, const WorkItem* items, std::size_t n, const Visit& visit) {
  constexpr std::size_t kItemGrain = 256;
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<is_weighted<Weight>>(exec.pool()))
      return for_each_listed<Weight>(exec, *array, items, n, visit);
  }
  const Column<std::size_t> order = wants_order(edges) ? order_of(exec.pool(), items, n) : Column<std::size_t>();
  const auto number = [&](std::size_t place) { return order.empty() ? place : order[place]; };
  for_each_piece<Weight>(
      exec, edges, Pieces(n, kItemGrain), [&](std::size_t place) { return items[number(place)]; },
      [&](std::size_t begin, std::size_t end, int) {
        typename View::Reader reader(edges);
        for (std::size_t place = begin; place < end; ++place) {
          if (place + View::kLookahead < end) edges.prefetch(items[number(place + View::kLookahead)]);
          const WorkItem& item = items[number(place)];
          visit(number(place), item, item.begin, [&](const WorkItem& part, auto&& each) { walk<Weight>(reader, part, each); });
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
          visit(item.vertex, item, part.rows.sources[row],
                [&](const WorkItem& some, auto&& each) { walk<Weight>(part.edges, some, each); });
        },
        64);
  });
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class View, class F>
void edge_map_picked_here(CpuExecutor& exec, const Rows&, const View& edges, const WorkItem* items, std::size_t n, F f) {
  cpu::for_each_listed<NoWeight>(exec, edges, items, n, [&](std::size_t i, const WorkItem& item, EdgeId, const auto& walk_part) {
    VertexId found = kNoVertex;
    const auto take = [&](VertexId v, NoWeight) { return found = v, false; };
    if constexpr (Declares<F, can::Seek>) {
      VertexId v = 0;
      for (WorkItem left = item; left.begin < left.end;) {
        const EdgeId middle = left.begin + (left.end - left.begin) / 2;
        walk_part(WorkItem{item.vertex, middle, middle + 1}, [&](VertexId at, NoWeight) { return v = at, false; });
        if (v < f.sought(i)) {
          left.begin = middle + 1;
        } else {
          left.end = middle;
          take(v, {});
        }
      }
    } else {
      walk_part(item, take);
    }
    f(i, found);
  });
}

template <class View, class F>
void edge_map_serial(CpuExecutor& exec, const Rows&, const View& edges, const WorkItem* items, std::size_t n, F f) {
  ranks::require_one_after_another(exec);
  using Weight = typename F::Weight;
  cpu::for_each_listed<Weight>(exec, edges, items, n, [&](std::size_t i, const WorkItem& item, EdgeId e, const auto& walk_part) {
    walk_part(item, [&](VertexId, Weight w) {
      if (!f.skips(i, e, w)) f(i, e, w);
      ++e;
      return true;
    });
  });
}

}  // namespace graphrun::inline GR_IDS
