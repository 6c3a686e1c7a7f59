// SPDX-License-Identifier: Apache-2.0
// The operators for views that have subgraphs made, both executors (Sabet et al., EuroSys 2020). Contract: operators.hpp.
//
// A step plans pieces of lists, has as many gathered, copied and processed at a time as there is room for, and leaves the next
// frontier as a bitmap. Functions of an executor (cpu_subway.hpp, cuda_subway.cuh):
//
//   plan_frontier(exec, maker, rows, frontier)          all pieces of the lists of a frontier, ascending or nearly
//   plan_pass(exec, maker, rows, trim)                  the part trim(piece) of each piece of each list
//   plan_everything(exec, maker, rows)                  each piece of each list
//   plan_sums(exec, maker, rows, trim)                  plan_pass() for reduce_rows()
//       A plan may have room for a part of that only: maker.plan_more() goes on, and asks trim() again when it comes there.
//   prepare_rows(exec, rows, subgraph, f, marks, who)   f.prepare(v) where a list of `who` begins; for all: loads them into marks
//   begin_rounds(exec, maker, marks)                    empties marks.loaded and marks.again
//   begin_round(exec, maker, subgraph, marks)           empties marks.again, which has vertices of the subgraph
//   end_rounds(exec, maker, subgraph)                   releases the bitmaps of the rounds over a subgraph
//   spread_rows(exec, maker, subgraph, f, marks, who, next)
//       f(f.source(v), u, w) for the edges of rows, and marks.mark(u) where true; `next`: the frontier of marks.next, or null
//   finish_marks(exec, next)                            counts the members of a frontier whose bitmap was marked
//   reduce_rows(exec, maker, rows, subgraph, f)         adds up what edge_reduce_pull is about
//   take_sum(exec, maker)                               what that came to
//
// and the maker of subgraphs, which a backend owns (CpuSubgraphs, CudaSubgraphs).
#pragma once

#include <cstdint>
#include <utility>

#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/ops/subgraph.hpp"
#include "graphrun/view/subway_view.hpp"

namespace graphrun::subway::inline GR_IDS {

/// The vertices whose rows a round over a subgraph processes.
enum class Who { all, active };

/// Calls body(subgraph) for the planned rows, as many at a time as have `room` edges.
template <class Maker, class Body>
void for_each_subgraph(Maker& maker, const HostEdges& edges, bool weighted, EdgeId room, Body&& body) {
  do {
    const PlannedRows plan = maker.plan();
    for (std::uint64_t first = 0; first < plan.count;) {
      const std::uint64_t last = plan.rows_within(first, room);
      body(maker.load(edges, weighted, first, last));
      maker.release();
      first = last;
    }
  } while (maker.plan_more());
}

/// Applies f to a subgraph until no vertex whose list it holds is left to process. `joined`: the words of `next`. Returns edges
/// examined.
template <class Exec, class Maker, class F>
std::uint64_t settle(Exec& exec, Maker& maker, const Rows& rows, const Subgraph& part, const F& f, std::uint32_t* joined,
                     FrontierOf<Exec>& next) {
  Marks marks = maker.marks(joined);
  begin_rounds(exec, maker, marks);
  prepare_rows(exec, rows, part, f, marks, Who::all);
  spread_rows(exec, maker, part, f, marks, Who::all, &next);
  RoundCounts round = maker.take_counts();
  std::uint64_t examined = round.examined;
  while (round.again) {
    std::swap(marks.active, marks.again);
    begin_round(exec, maker, part, marks);
    prepare_rows(exec, rows, part, f, marks, Who::active);
    spread_rows(exec, maker, part, f, marks, Who::active, &next);
    round = maker.take_counts();
    examined += round.examined;
  }
  end_rounds(exec, maker, part);
  return examined;
}

/// Calls f(v, u) once for the edges of each planned row.
template <class Exec, class Maker, class F>
EdgeMapStats pass(Exec& exec, const SubwayView<Maker>& edges, const F& f) {
  Maker& maker = *edges.subgraphs;
  EdgeMapStats stats{0, 1};
  for_each_subgraph(maker, edges.edges, false, maker.pass_room(), [&](const Subgraph& part) {
    spread_rows(exec, maker, part, AsPush<F>{f}, Marks{}, Who::all, static_cast<FrontierOf<Exec>*>(nullptr));
    stats.edges += part.num_edges;
  });
  return stats;
}

}  // namespace graphrun::subway::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Plans a pull: whole lists of the vertices that want.
template <class Exec, class Maker>
DirectionCosts direction_costs(const Exec& exec, const SubwayView<Maker>&) {
  return {.push_edge = 1, .pull_edge = 1, .pull_vertex = 0, .add = ranks::add_cost(exec), .whole_lists = true};
}

template <class Exec, class Maker, class F>
requires(!AddingPush<F>) EdgeMapStats edge_map_push(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges,
                                                    FrontierOf<Exec>& frontier, F f, FrontierOf<Exec>& next) {
  Maker& maker = *edges.subgraphs;
  constexpr bool kWeighted = is_weighted<typename F::Weight>;
  EdgeMapStats stats{0, 1};
  plan_frontier(exec, maker, rows, frontier);
  const BitmapRef joined = next.start_empty_bitmap(exec);
  if constexpr (Declares<F, can::Correct>) {
    if (edges.asynchronous()) {
      subway::for_each_subgraph(maker, edges.edges, kWeighted, maker.room(), [&](const Subgraph& part) {
        stats.edges += subway::settle(exec, maker, rows, part, f, joined.words, next);
      });
      finish_marks(exec, next);
      return exchange_after_push(exec, stats, f, next);
    }
  }
  prepare_members(exec, frontier, f);
  const Marks marks{.next = joined.words};
  subway::for_each_subgraph(maker, edges.edges, kWeighted, maker.pass_room(), [&](const Subgraph& part) {
    spread_rows(exec, maker, part, f, marks, subway::Who::all, &next);
    stats.edges += part.num_edges;
  });
  finish_marks(exec, next);
  return exchange_after_push(exec, stats, f, next);
}

template <class Exec, class Maker, class F>
EdgeMapStats edge_map_pull(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, const Rows&, F f,
                           FrontierOf<Exec>& next) {
  plan_pass(exec, *edges.subgraphs, rows, subway::Wanted<F>{f, rows, 0});
  const BitmapRef joined = next.start_empty_bitmap(exec);
  const EdgeMapStats stats = subway::pass(exec, edges, subway::AsPull<F>{f, joined.words});
  next.count_members(exec);
  return exchange_after_pull(exec, stats, f, next);
}

template <class Exec, class Maker, class F>
EdgeMapStats edge_map_all(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, EdgeId skip, F f) {
  plan_pass(exec, *edges.subgraphs, rows, subway::Wanted<F>{f, rows, skip});
  return share_changes(exec, rows, subway::pass(exec, edges, f), f);
}

template <class Exec, class Maker, class F>
EdgeMapStats edge_gather_bits(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, F f) {
  return share_changes(exec, rows, edge_map_all(exec, rows, edges, 0, subway::AsBitByBit<F>{f}), f);
}

template <class Exec, class Maker, class F>
EdgeMapStats edge_map_leading(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, EdgeId count, F f) {
  plan_pass(exec, *edges.subgraphs, rows, subway::Leading{rows, count});
  return share_changes(exec, rows, subway::pass(exec, edges, f), f);
}

template <class Exec, class Maker, class F>
double edge_reduce_pull(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, F f) {
  Maker& maker = *edges.subgraphs;
  if constexpr (Declares<F, can::Want>)
    plan_sums(exec, maker, rows, subway::WantedSums<F>{f});
  else
    plan_everything(exec, maker, rows);
  subway::for_each_subgraph(maker, edges.edges, false, maker.pass_room(),
                            [&](const Subgraph& part) { reduce_rows(exec, maker, rows, part, f); });
  return exchange_after_reduce(exec, take_sum(exec, maker), rows.num_vertices, f);
}

/// Makes round after round over all vertices whose priority improved. An order by priority would make more and smaller subgraphs.
template <class Exec, class Maker, class F>
EdgeMapStats edge_map_ordered(Exec& exec, const Rows& rows, const SubwayView<Maker>& edges, OrderedQueueOf<Exec>& queue, F f) {
  return push_in_rounds(exec, rows, edges, queue, f, [&] { std::swap(queue.near, queue.next); });
}

}  // namespace graphrun::inline GR_IDS
