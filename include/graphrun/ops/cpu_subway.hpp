// SPDX-License-Identifier: Apache-2.0
// The functions that subway_operators.hpp needs, on host threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/ops/subway_operators.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kRowGrain = 64;  // rows a worker takes at a time

/// Calls take(piece) for the pieces of v's list.
template <class Take>
void for_each_piece_of(const Rows& rows, VertexId v, Take&& take) {
  const EdgeId pieces = rows.pieces(rows.degree(v));
  for (EdgeId k = 0; k < pieces; ++k) take(rows.piece(v, k));
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

inline bool pushes_alone(CpuExecutor& exec, const SubwayView<CpuSubgraphs>&, const CpuFrontier&) {
  return exec.pool().size() == 1;
}

inline void plan_frontier(CpuExecutor& exec, CpuSubgraphs& maker, const Rows& rows, CpuFrontier& frontier) {
  const auto list = frontier.own_list(exec, true);
  maker.make_plan(list.size(), [&rows, list](std::size_t i, auto& take) { cpu::for_each_piece_of(rows, list[i], take); });
}

template <class Trim>
void plan_pass(CpuExecutor& exec, CpuSubgraphs& maker, const Rows& rows, const Trim& trim) {
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(exec.part().first, rows.num_vertices));
  const auto last = static_cast<std::size_t>(std::min<std::uint64_t>(exec.part().last, rows.num_vertices));
  maker.make_plan(last - first, [&rows, trim, first](std::size_t i, auto& take) {
    cpu::for_each_piece_of(rows, static_cast<VertexId>(first + i), [&](const WorkItem& piece) {
      if (const WorkItem item = trim(piece); !subway::is_left_out(item)) take(item);
    });
  });
}

template <class Trim>
void plan_sums(CpuExecutor& exec, CpuSubgraphs& maker, const Rows& rows, const Trim& trim) {
  maker.piece_sums.start(rows);
  plan_pass(exec, maker, rows, trim);
}

inline void plan_everything(CpuExecutor& exec, CpuSubgraphs& maker, const Rows& rows) {
  plan_sums(exec, maker, rows, subway::Everything{});
}

template <class F>
void prepare_rows(CpuExecutor& exec, const Rows& rows, const Subgraph& part, const F& f, const Marks& marks, subway::Who who) {
  if (who == subway::Who::active && !Declares<F, can::Prepare>) return;
  parallel_for(exec.pool(), part.rows.count, [&](std::size_t i) {
    const VertexId v = part.rows.vertices[i];
    if (!part.rows.begins_list(rows, i)) return;
    if (who == subway::Who::active && !BitmapRef{marks.active}.test(v)) return;
    if (who == subway::Who::all) {
      Marks::clear(marks.next, v);
      if (part.rows.holds_list(rows, i)) Marks::set(marks.loaded, v);
    }
    if constexpr (Declares<F, can::Prepare>) f.prepare(v);
  });
}

inline void begin_rounds(CpuExecutor&, CpuSubgraphs& maker, const Marks&) { maker.begin_rounds(); }
inline void begin_round(CpuExecutor&, CpuSubgraphs& maker, const Subgraph& part, const Marks& marks) {
  maker.clear_marks(maker.again(marks), part);
}
inline void end_rounds(CpuExecutor&, CpuSubgraphs& maker, const Subgraph& part) { maker.end_rounds(part); }
inline void finish_marks(CpuExecutor& exec, CpuFrontier& next) { next.finish_marks(exec); }

template <class F>
void spread_rows(CpuExecutor& exec, CpuSubgraphs& maker, const Subgraph& part, const F& f, const Marks& marks, subway::Who who,
                 CpuFrontier* next) {
  using Weight = typename F::Weight;
  parallel_chunks(exec.pool(), part.rows.count, cpu::kRowGrain, [&](std::size_t begin, std::size_t end, int) {
    RoundCounts mine;
    std::optional<cpu::Appender> joining;
    if (next != nullptr) joining.emplace(*next);
    const auto mark = [marks, &joining, &again = mine.again](VertexId u) {
      if (marks.is_loaded(u)) {
        Marks::set(marks.again, u);
        again = true;
      } else if (Marks::set(marks.next, u)) {
        joining->append(u);
      }
    };
    for (std::size_t i = begin; i < end; ++i) {
      const WorkItem item = part.rows.item(i);
      if (who == subway::Who::active && !BitmapRef{marks.active}.test(item.vertex)) continue;
      mine.examined += item.end - item.begin;
      const auto source = f.source(item.vertex);
      walk<Weight>(part.edges, item, [f, source, mark](VertexId u, Weight w) {
        if (f(source, u, w)) mark(u);
        return true;
      });
    }
    maker.count(mine);
  });
}

template <class F>
void reduce_rows(CpuExecutor& exec, CpuSubgraphs& maker, const Rows& rows, const Subgraph& part, const F& f) {
  using Value = typename F::Value;
  const auto sum_of = [&](const WorkItem& item) {
    double sum = 0;
    for (EdgeId e = item.begin; e < item.end;) {
      Value block{};
      for (const EdgeId stop = std::min(e + cpu::kSumBlock, item.end); e < stop; ++e) block += f.value(part.edges.neighbour(e));
      sum += static_cast<double>(block);
    }
    return sum;
  };
  parallel_chunks(exec.pool(), part.rows.count, cpu::kVertexGrain, [&](std::size_t begin, std::size_t end, int) {
    double mine = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const WorkItem item = part.rows.item(i);
      std::optional<double> sum = sum_of(item);
      if (rows.is_cut(rows.degree(item.vertex))) {
        sum = maker.piece_sums.bring(rows, item.vertex, part.rows.sources[i], *sum);
      }
      if (sum) mine += f.finish(item.vertex, static_cast<Value>(*sum));
    }
    maker.sum.fetch_add(mine, std::memory_order_relaxed);
  });
}

inline double take_sum(CpuExecutor&, CpuSubgraphs& maker) { return maker.sum.exchange(0.0); }

}  // namespace graphrun::inline GR_IDS
