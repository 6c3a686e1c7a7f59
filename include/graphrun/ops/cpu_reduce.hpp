// SPDX-License-Identifier: Apache-2.0
// The operator of the CPU that adds up values along all lists: sweeps of PageRank. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/ops/cpu_operators.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kSumBlock = 1024;  // terms added in the precision of scores before they join a 64-bit sum

/// The cut lists that a sweep in pieces of `grain` vertices leaves for later: lists in pieces that hold much more than others,
/// and would keep other workers waiting. Other lists stay in order. A sweep that uses new values at once needs fewer passes the
/// more vertices are in order: PageRank on a Kronecker graph of scale 20 takes 6 to 10, and 16 with all cut lists at the end.
class HeavyPieces {
 public:
  HeavyPieces(CpuExecutor& exec, const Rows& rows, std::size_t grain)
      : rows_(rows), grain_(grain), first_(static_cast<std::size_t>(exec.part().first)) {
    const EdgeId all = rows.offsets[rows.num_vertices];
    const std::size_t pieces = (std::size_t{rows.num_vertices} + grain - 1) / grain;
    const EdgeId share = all / (8 * static_cast<EdgeId>(exec.pool().size()));
    most_ = std::max(share, 4 * (all / std::max<std::size_t>(1, pieces)));
  }

  /// Returns whether the piece of vertex `v` holds its cut lists.
  bool hold(std::size_t v) const {
    const std::size_t begin = first_ + (v - first_) / grain_ * grain_;
    return rows_.offsets[std::min<std::size_t>(begin + grain_, rows_.num_vertices)] - rows_.offsets[begin] > most_;
  }

 private:
  const Rows& rows_;
  std::size_t grain_;
  std::size_t first_;
  EdgeId most_ = 0;
};

/// The type that f.finish returns for a vertex, and edge_reduce_pull for all of them.
template <class F>
using SumOf = decltype(std::declval<const F&>().finish(VertexId{}, typename F::Value{}));

/// Calls f.finish for each vertex with a cut list and is_left(vertex), with the sums of its pieces. Returns the sum over them.
template <class IsLeft, class F>
SumOf<F> finish_hubs(const Rows& rows, const std::vector<double>& sums, const IsLeft& is_left, const F& f) {
  SumOf<F> result{};
  for (std::size_t i = 0; i < sums.size();) {
    const auto v = static_cast<VertexId>(rows.hub_chunks[i].vertex);
    double sum = 0;
    for (; i < sums.size() && rows.hub_chunks[i].vertex == v; ++i) sum += sums[i];
    if (is_left(v)) result += f.finish(v, static_cast<typename F::Value>(sum));
  }
  return result;
}

/// Returns the sum of f.value over the edges of a work item. One plain loop for a list: each further loop's end would be a branch
/// guessed wrong, which costs more than adding side by side saves. Long lists go in blocks, because a million 32-bit terms added
/// one by one lose a hundredth of their sum. Short ones avoid 64 bits, because the next vertex may wait for this one's value.
template <class Reader, class F>
[[gnu::always_inline]] inline typename F::Value sum_of(Reader& reader, const WorkItem& item, const F& f) {
  using Value = typename F::Value;
  double blocks = 0;
  Value rest{};
  reader.template for_each_run<false>(item, [&](const VertexId* ids, const std::uint32_t*, std::size_t count) {
    blocks += static_cast<double>(std::exchange(rest, Value{}));
    for (; count > kSumBlock; ids += kSumBlock, count -= kSumBlock) {
      Value block{};
      for (std::size_t i = 0; i < kSumBlock; ++i) block += f.value(ids[i]);
      blocks += static_cast<double>(block);
    }
    Value sum = rest;  // in a register, where `rest` would be stored for each edge
    for (std::size_t i = 0; i < count; ++i) sum += f.value(ids[i]);
    rest = sum;
    return true;
  });
  return blocks == 0 ? rest : static_cast<Value>(blocks + static_cast<double>(rest));
}

inline constexpr EdgeId kFewEdges = 4;

/// Returns sum_of() for a list of 1 to 4 edges without a branch: the end of a loop would be mispredicted once a vertex of a road
/// map. An edge beyond the list's end is its first once more, and adds no bit.
template <class F>
[[gnu::always_inline]] inline typename F::Value sum_of_few(const VertexId* ids, EdgeId count, const F& f) {
  using Value = typename F::Value;
  using Bits = std::conditional_t<sizeof(Value) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  static constexpr std::uint32_t kPlaces[][kFewEdges] = {{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}};
  static constexpr Bits kAll = ~Bits{0};
  static constexpr Bits kMasks[][kFewEdges] = {{}, {kAll}, {kAll, kAll}, {kAll, kAll, kAll}, {kAll, kAll, kAll, kAll}};
  const auto value = [&](std::size_t k) {
    return std::bit_cast<Value>(std::bit_cast<Bits>(f.value(ids[kPlaces[count][k]])) & kMasks[count][k]);
  };
  return (f.value(ids[0]) + value(1)) + (value(2) + value(3));
}

/// Returns the i-th vertex of a sweep over [begin, begin + size): in order, or from both halves in turn.
inline VertexId nth_of_stretch(std::size_t begin, std::size_t size, std::size_t i, bool in_turn) {
  return static_cast<VertexId>(begin + (in_turn ? i / 2 + i % 2 * ((size + 1) / 2) : i));
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
cpu::SumOf<F> edge_reduce_pull(CpuExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_reduce_pull(exec, rows, *array, f);
  }
  using Reader = typename View::Reader;
  using Sum = cpu::SumOf<F>;
  PerThread<Sum> total(exec.pool(), Sum{});
  const std::size_t grain = asks_ahead(edges) ? cpu::sweep_grain<View>(exec, rows.num_vertices) : 16 * cpu::kVertexGrain;
  const cpu::HeavyPieces heavy(exec, rows, grain);
  const auto uncut_list = [&](std::size_t i) {
    const WorkItem list = cpu::uncut_list(rows, static_cast<VertexId>(i));
    return wants_sum(f, list.vertex) ? list : WorkItem{list.vertex, list.begin, list.begin};
  };
  // A sweep that uses new values at once waits for the vertex before, where that is a neighbour: 40 cycles a vertex of a grid, in
  // which a processor can work at another place. Long lists keep it busy anyway, and pages are for one place.
  const bool in_turn = !is_paged<View> && rows.offsets[rows.num_vertices] < 2 * cpu::kFewEdges * rows.num_vertices;
  const VertexId* short_lists = nullptr;
  if constexpr (std::is_same_v<View, DirectView>) {
    if (in_turn && edges.packed == nullptr) short_lists = edges.neighbours;
  }
  const auto sweep = [&](std::size_t begin, std::size_t end, int rank) {
    Sum mine{};
    Reader reader(edges);
    const bool leaves_hubs = heavy.hold(begin);
    const Rows local = rows;  // not reloaded after each store
    const F each = f;
    for (std::size_t i = 0; i < end - begin; ++i) {
      const VertexId v = cpu::nth_of_stretch(begin, end - begin, i, in_turn);
      const EdgeId first = local.offsets[v];
      const EdgeId last = local.offsets[v + 1];
      if (!wants_sum(each, v) || (leaves_hubs && local.is_cut(last - first))) continue;
      const bool few = short_lists != nullptr && last - first - 1 < cpu::kFewEdges;
      mine += each.finish(
          v, few ? cpu::sum_of_few(short_lists + first, last - first, each) : cpu::sum_of(reader, {v, first, last}, each));
    }
    total[rank] += mine;
  };
  cpu::for_each_piece<NoWeight>(exec, edges, cpu::pieces_of_own_lists(exec, edges, rows.num_vertices, grain), uncut_list, sweep);
  // What was left: pieces in parallel, then one finish a hub.
  std::vector<double> sums(rows.num_hub_chunks);
  const auto is_left = [&](VertexId v) { return exec.part().owns(v) && heavy.hold(v) && wants_sum(f, v); };
  const auto hub_item = [&](std::size_t i) {
    const WorkItem item = rows.hub_item(i);
    return is_left(item.vertex) ? item : WorkItem{item.vertex, item.begin, item.begin};
  };
  cpu::for_each_piece<NoWeight>(exec, edges, cpu::Pieces::of_all_lists(sums.size(), 1), hub_item,
                                [&](std::size_t begin, std::size_t end, int) {
                                  Reader reader(edges);
                                  for (std::size_t i = begin; i < end; ++i) {
                                    if (const WorkItem item = hub_item(i); item.begin < item.end)
                                      sums[i] = static_cast<double>(cpu::sum_of(reader, item, f));
                                  }
                                });
  Sum result = cpu::finish_hubs(rows, sums, is_left, f);
  for (auto& slot : total) result += slot.value;
  return exchange_after_reduce(exec, result, rows.num_vertices, f);
}

}  // namespace graphrun::inline GR_IDS
