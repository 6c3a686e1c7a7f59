// The operator of the CPU that adds up values along all lists: sweeps of PageRank. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphrun/ops/cpu_operators.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kSumBlock = 1024;  // terms added in the precision of ranks before they join a 64-bit sum

/// Which cut lists a sweep in pieces of `grain` vertices leaves for later: those of pieces that hold much more than others, and
/// so much that one worker would keep the rest waiting. The others are walked whole when their turn comes. A sweep that uses new
/// values at once needs fewer passes the more vertices are in order: PageRank on a Kronecker graph of scale 20 takes 6 to 10, and
/// 16 with all cut lists at the end.
class HeavyPieces {
 public:
  HeavyPieces(CpuExecutor& exec, const Rows& rows, std::size_t grain) : rows_(rows), grain_(grain) {
    const EdgeId all = rows.offsets[rows.num_vertices];
    const std::size_t pieces = (std::size_t{rows.num_vertices} + grain - 1) / grain;
    const EdgeId share = all / (8 * static_cast<EdgeId>(exec.pool().size()));
    most_ = std::max(share, 4 * (all / std::max<std::size_t>(1, pieces)));
  }

  /// Of the piece that vertex `v` is in.
  bool hold(std::size_t v) const {
    const std::size_t begin = v / grain_ * grain_;
    return rows_.offsets[std::min<std::size_t>(begin + grain_, rows_.num_vertices)] - rows_.offsets[begin] > most_;
  }

 private:
  const Rows& rows_;
  std::size_t grain_;
  EdgeId most_ = 0;
};

/// f.finish for each vertex with a cut list and is_left(vertex), out of the sums of its pieces. Returns the sum over them.
template <class IsLeft, class F>
double finish_hubs(const Rows& rows, const std::vector<double>& sums, const IsLeft& is_left, const F& f) {
  double result = 0;
  for (std::size_t i = 0; i < sums.size();) {
    const auto v = static_cast<VertexId>(rows.hub_chunks[i].vertex);
    double sum = 0;
    for (; i < sums.size() && rows.hub_chunks[i].vertex == v; ++i) sum += sums[i];
    if (is_left(v)) result += f.finish(v, static_cast<typename F::Value>(sum));
  }
  return result;
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
double edge_reduce_pull(CpuExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_reduce_pull(exec, rows, *array, f);
  }
  using Value = typename F::Value;
  // One plain loop for a list: each further loop's end would be a branch guessed wrong, which costs more than adding side by
  // side saves. Long lists in blocks, because a million 32-bit terms added one by one lose a hundredth of their sum.
  using Reader = typename View::Reader;
  const auto sum_of = [&](Reader& reader, const WorkItem& item) {
    double sum = 0;
    reader.template for_each_run<false>(item, [&](const VertexId* ids, const std::uint32_t*, std::size_t count) {
      for (; count > cpu::kSumBlock; ids += cpu::kSumBlock, count -= cpu::kSumBlock) {
        Value block{};
        for (std::size_t i = 0; i < cpu::kSumBlock; ++i) block += f.value(ids[i]);
        sum += static_cast<double>(block);
      }
      Value block{};
      for (std::size_t i = 0; i < count; ++i) block += f.value(ids[i]);
      sum += static_cast<double>(block);
      return true;
    });
    return sum;
  };
  PerThread<double> total(exec.pool(), 0.0);
  const std::size_t grain = asks_ahead(edges) ? cpu::sweep_grain<View>(exec, rows.num_vertices) : 16 * cpu::kVertexGrain;
  const cpu::HeavyPieces heavy(exec, rows, grain);
  const auto uncut_list = [&](std::size_t i) {
    const WorkItem list = cpu::uncut_list(rows, static_cast<VertexId>(i));
    return wants_sum(f, list.vertex) ? list : WorkItem{list.vertex, list.begin, list.begin};
  };
  const auto sweep = [&](std::size_t begin, std::size_t end, int rank) {
    double mine = 0;
    Reader reader(edges);
    const bool leaves_hubs = heavy.hold(begin);
    const Rows local = rows;  // not reloaded after each store
    EdgeId first = local.offsets[begin];
    for (std::size_t i = begin; i < end; ++i) {
      const auto v = static_cast<VertexId>(i);
      const EdgeId last = local.offsets[i + 1];
      if (wants_sum(f, v) && (!leaves_hubs || !local.is_cut(last - first)))
        mine += f.finish(v, static_cast<Value>(sum_of(reader, {v, first, last})));
      first = last;
    }
    total[rank] += mine;
  };
  cpu::for_each_piece<NoWeight>(exec, edges, cpu::pieces_of_a_pass(edges, rows.num_vertices, grain), uncut_list, sweep);
  // What was left: pieces in parallel, then one finish a hub.
  std::vector<double> sums(rows.num_hub_chunks);
  const auto hub_item = [&](std::size_t i) {
    const WorkItem item = rows.hub_item(i);
    return heavy.hold(item.vertex) && wants_sum(f, item.vertex) ? item : WorkItem{item.vertex, item.begin, item.begin};
  };
  cpu::for_each_piece<NoWeight>(exec, edges, cpu::Pieces(sums.size(), 1), hub_item, [&](std::size_t begin, std::size_t end, int) {
    Reader reader(edges);
    for (std::size_t i = begin; i < end; ++i) {
      if (const WorkItem item = hub_item(i); item.begin < item.end) sums[i] = sum_of(reader, item);
    }
  });
  double result = cpu::finish_hubs(
      rows, sums, [&](VertexId v) { return heavy.hold(v) && wants_sum(f, v); }, f);
  for (auto& slot : total) result += slot.value;
  return result;
}

}  // namespace graphrun::inline GR_IDS
