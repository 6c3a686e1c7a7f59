// SPDX-License-Identifier: Apache-2.0
// Subgraphs on the CPU: a plan, and a buffer of bounded size that host threads gather edges into.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/subgraph.hpp"
#include "graphrun/ops/subgraph_counters.hpp"
#include "graphrun/view/subway_view.hpp"

namespace graphrun::inline GR_IDS {

/// Sums of the pieces of cut lists, which several threads bring in any order.
class PieceSums {
 public:
  void start(const Rows& rows) {
    sums_.assign(rows.num_hub_chunks, 0.0);
    arrived_.assign(rows.num_hub_chunks, 0);
  }
  /// Takes the sum of the piece of v's list that begins with edge `begin`. Returns the sum of all pieces to the thread that
  /// brings a list's last one.
  std::optional<double> bring(const Rows& rows, VertexId v, EdgeId begin, double sum) {
    const std::uint64_t first = rows.hub_index(v, rows.offsets[v]);
    const EdgeId count = rows.pieces(rows.degree(v));
    sums_[first + (begin - rows.offsets[v]) / rows.chunk_edges] = sum;
    if (std::atomic_ref<EdgeId>(arrived_[first]).fetch_add(1, std::memory_order_acq_rel) + 1 != count) return std::nullopt;
    return std::accumulate(sums_.begin() + static_cast<std::ptrdiff_t>(first),
                           sums_.begin() + static_cast<std::ptrdiff_t>(first + count), 0.0);
  }

 private:
  std::vector<double> sums_;
  std::vector<EdgeId> arrived_;  ///< at the first piece of each list
};

/// Plans and gathers subgraphs. Made once by a backend, whose executor outlives it. One operator at a time uses it.
class CpuSubgraphs {
 public:
  CpuSubgraphs(CpuExecutor& exec, const SubgraphOptions& options);

  bool asynchronous() const { return options_.asynchronous; }
  EdgeId room() const { return options_.capacity; }
  EdgeId pass_room() const { return options_.capacity; }
  std::uint64_t buffer_bytes() const { return neighbours_.bytes() + weights_.bytes(); }

  /// Plans rows: emit(i, take) calls take(item) for each piece that i in [0, n) contributes, the same ones when it is asked twice
  /// in a row. A plan may end before n; plan_more() goes on, and asks emit() then.
  template <class Emit>
  void make_plan(std::size_t n, Emit emit);
  PlannedRows plan() const { return {sources_.data(), places_.data(), rows_}; }
  /// Plans the next rows; returns false at the end.
  bool plan_more();

  /// Gathers rows [first, last) of the plan.
  Subgraph load(const HostEdges& edges, bool weighted, std::uint64_t first, std::uint64_t last);
  void release() {}

  Marks marks(std::uint32_t* next) { return {next, loaded_.data(), rounds_[0].data(), rounds_[1].data()}; }
  Column<std::uint32_t>& again(const Marks& marks) { return rounds_[marks.again == rounds_[0].data() ? 0 : 1]; }
  /// Empties all of marks() but its `next`, unless end_rounds() has: a step costs its rows, not whole bitmaps.
  void begin_rounds();
  void end_rounds(const Subgraph& part);
  /// Empties a bitmap in which only vertices of the rows of `part` are set.
  void clear_marks(Column<std::uint32_t>& bits, const Subgraph& part);

  void count(const RoundCounts& round) {
    std::atomic_ref<std::uint64_t>(round_.examined).fetch_add(round.examined, std::memory_order_relaxed);
    if (round.again) std::atomic_ref<bool>(round_.again).store(true, std::memory_order_relaxed);
  }
  RoundCounts take_counts() { return std::exchange(round_, {}); }

  /// Sum of edge_reduce_pull, with the sums of pieces of cut lists.
  std::atomic<double> sum{0.0};
  PieceSums piece_sums;

  const SubgraphCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  static constexpr std::size_t kPlanGrain = 1 << 12;

  template <class Emit>
  void plan_stretch(std::size_t first, std::size_t last, const Emit& emit);

  CpuExecutor& exec_;
  SubgraphOptions options_;
  Column<VertexId> vertices_;
  Column<EdgeId> sources_;
  Column<EdgeId> places_;
  std::uint64_t rows_ = 0;
  std::function<void(std::size_t first, std::size_t last)> plan_;
  std::size_t planned_ = 0;  // items of i that were planned
  std::size_t to_plan_ = 0;
  Column<VertexId> neighbours_;
  Column<std::uint32_t> weights_;
  Column<std::uint32_t> loaded_;
  Column<std::uint32_t> rounds_[2];
  bool are_clear_ = false;  // loaded_ and rounds_; not after an exception
  RoundCounts round_;
  SubgraphCounters counters_;
};

template <class Emit>
void CpuSubgraphs::make_plan(std::size_t n, Emit emit) {
  plan_ = [this, emit](std::size_t first, std::size_t last) { plan_stretch(first, last, emit); };
  planned_ = rows_ = 0;
  to_plan_ = n;
  plan_more();
}

template <class Emit>
void CpuSubgraphs::plan_stretch(std::size_t first, std::size_t last, const Emit& emit) {
  const Timer finding;
  struct Reached {
    std::uint64_t rows = 0;
    EdgeId edges = 0;
  };
  // Each stretch of the work counts what it contributes; then each knows where that goes.
  const std::size_t stretches = (last - first + kPlanGrain - 1) / kPlanGrain;
  std::vector<Reached> reached(stretches + 1);
  const auto for_each_stretch = [&](const auto& take_of) {
    parallel_for(
        exec_.pool(), stretches,
        [&](std::size_t s) {
          auto take = take_of(s);
          const std::size_t begin = first + s * kPlanGrain;
          for (std::size_t i = begin; i < std::min(begin + kPlanGrain, last); ++i) emit(i, take);
        },
        1);
  };
  for_each_stretch([&](std::size_t s) {
    return [&mine = reached[s + 1]](const WorkItem& item) {
      ++mine.rows;
      mine.edges += item.end - item.begin;
    };
  });
  for (std::size_t s = 0; s < stretches; ++s) {
    reached[s + 1].rows += reached[s].rows;
    reached[s + 1].edges += reached[s].edges;
  }
  rows_ = reached[stretches].rows;
  for_each_stretch([&](std::size_t s) {
    return [this, at = reached[s]](const WorkItem& item) mutable {
      vertices_[at.rows] = item.vertex;
      sources_[at.rows] = item.begin;
      places_[at.rows++] = at.edges;
      at.edges += item.end - item.begin;
    };
  });
  places_[rows_] = reached[stretches].edges;
  counters_.find_ms += finding.elapsed_ms();
}

}  // namespace graphrun::inline GR_IDS
