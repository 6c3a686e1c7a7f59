// SPDX-License-Identifier: Apache-2.0
// Louvain's method, both executors. Edges sum the weights to the communities around each vertex in a hash table; then vertices
// choose by what the communities were. So that few neighbours choose at a time, a sixteenth of the tiles of the graph chooses
// after another, and of these one half, drawn anew in each sweep. All sums are whole numbers, so that executors, backends, ranks
// and threads find the same communities. Their graph is in the host's memory, where one thread goes on (communities.hpp). After
// they joined, vertices gain by moving again: a second round begins with what the first one found. A small graph has as many
// rounds as raise modularity, from several starts, since its few moves depend much on their order.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/louvain/communities.hpp"
#include "algorithms/louvain/louvain_functors.hpp"
#include "graphrun/algorithms/louvain.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/checkpoint.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::louvain::inline GR_IDS {

inline constexpr std::uint64_t kMostSweeps = 20;
inline constexpr EdgeId kFewMoved = 200;         // sweeps end when the moved vertices have fewer than a 200th of the edges
inline constexpr std::uint64_t kSwapping = 4;    // sweeps, after which moves have to become fewer
inline constexpr EdgeId kSmallGraph = 1 << 15;   // arcs
inline constexpr std::uint64_t kStarts = 4;      // of a small graph
inline constexpr std::uint64_t kMostRounds = 2;  // of others
inline constexpr double kLeastRise = 1e-9;
inline constexpr int kLargestTile = 10;  // bits: lists of 1024 vertices, some pages
inline constexpr int kUnitBits = 50;     // of the sum of scaled weights, which doubles hold exactly

/// Returns the turns' bits reversed: next to a part are others that choose much earlier or later. Where short edges make up most
/// of a graph, parts in order would all join the first one's communities.
inline std::uint64_t part_of_turn(std::uint64_t turn) {
  static_assert(kParts == 16);
  return (turn & 1) << 3 | (turn & 2) << 1 | (turn & 4) >> 1 | (turn & 8) >> 3;
}

}  // namespace graphrun::louvain::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
LouvainRun<Exec, View>::LouvainRun(Exec& exec, const GraphView<View>& graph, const LouvainOptions& options, WeightKind weights)
    : exec_(exec),
      graph_(graph),
      options_(options),
      weights_(options.weighted ? weights : WeightKind::none),
      degrees_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      totals_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      labels_(exec.template make_array<VertexId>(graph.num_vertices())),
      best_(exec.template make_array<VertexId>(graph.num_vertices())),
      next_(exec.template make_array<VertexId>(graph.num_vertices())),
      states_(exec.template make_array<std::uint32_t>(graph.num_vertices())),
      frontier_(exec, graph.out),
      moved_(exec, graph.out),
      none_(exec, graph.out) {
  load_kernels<LouvainRun>(exec_);
  if (!graph_.symmetric) throw UsageError("louvain needs an undirected graph");
  make_tables();
}

template <class Exec, class View>
template <class Make>
void LouvainRun<Exec, View>::push(FrontierOf<Exec>& frontier, const Make& make) {
  const auto push_with = [&]<class F>(const F& functor) {
    const std::uint64_t edges = edge_map_push(exec_, graph_.out, graph_.out_edges, frontier, functor, none_).edges;
    stats_.edges_examined += Declares<F, can::ExchangeLater> ? sum_of_ranks(exec_, edges) : edges;
  };
  if (weights_ == WeightKind::none)
    push_with(make(louvain::UnitWeights{}));
  else
    push_with(make(louvain::ScaledWeights{{weights_, graph_.weight_table}, scale_}));
}

template <class Exec, class View>
louvain::VertexTables LouvainRun<Exec, View>::tables() const {
  return {graph_.out.offsets, bases_.data(), tile_shift_};
}

template <class Exec, class View>
void LouvainRun<Exec, View>::make_tables() {
  const std::uint64_t n = graph_.num_vertices();
  while (tile_shift_ < louvain::kLargestTile && n >> tile_shift_ >= 128 * louvain::kParts) ++tile_shift_;
  const std::uint64_t tiles = (n + (std::uint64_t{1} << tile_shift_) - 1) >> tile_shift_;
  bases_ = exec_.template make_array<EdgeId>(tiles);
  if (n == 0) return;
  vertex_map(exec_, tiles, louvain::CountSlots{tables(), n, bases_.data()});
  std::vector<EdgeId> bases = exec_.download(bases_);
  std::vector<EdgeId> slots(louvain::kParts);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    EdgeId& of_part = slots[tile % louvain::kParts];
    of_part += std::exchange(bases[tile], of_part);
  }
  exec_.upload(bases, bases_);
  slots_ = exec_.template make_array<louvain::Slot>(*std::ranges::max_element(slots));
  fill(exec_, slots_, louvain::kEmptySlot);
  auto listed = exec_.template make_array<EdgeId>(1);
  fill(exec_, listed, EdgeId{0});
  vertex_map(exec_, n, louvain::ListLongTables{tables(), nullptr, listed.data()});
  const EdgeId pieces = exec_.fetch(listed, 0);
  pieces_ = exec_.template make_array<TablePiece>(pieces);
  long_moves_ = exec_.template make_array<louvain::LongMove>(pieces);
  exec_.store(listed, 0, EdgeId{0});
  vertex_map(exec_, n, louvain::ListLongTables{tables(), pieces_.data(), listed.data()});
}

template <class Exec, class View>
void LouvainRun<Exec, View>::weigh() {
  const std::size_t n = graph_.num_vertices();
  frontier_.insert_all(exec_);
  if (weights_ != WeightKind::none) {
    auto sums = exec_.template make_array<double>(n);
    fill(exec_, sums, 0.0);
    const SumWeights functor{sums.data(), {weights_, graph_.weight_table}};
    push(frontier_, [&](const auto&) { return functor; });
    collect_parts(exec_, sums);
    const auto sum = vertex_sum<double>(exec_, n, louvain::NumberOf<double>{sums.data()});
    const bool are_whole = weights_ != WeightKind::f32 && sum < std::exp2(louvain::kUnitBits);
    scale_ = are_whole || sum == 0 ? 1 : std::exp2(louvain::kUnitBits - std::ilogb(sum));
  }
  auto loops = exec_.template make_array<std::uint64_t>(1);
  fill(exec_, loops, std::uint64_t{0});
  fill(exec_, next_, VertexId{0});
  vertex_map(exec_, n, louvain::StartDegrees{graph_.out, degrees_.data(), weights_ != WeightKind::none});
  push(frontier_, [&]<class Weights>(const Weights& weights) {
    return louvain::AddDegrees<Weights>{weights, degrees_.data(), next_.data(), loops.data()};
  });
  collect_parts(exec_, degrees_);
  collect_parts(exec_, next_);
  if (static_cast<VertexId>(vertex_sum<std::uint64_t>(exec_, n, louvain::NumberOf<VertexId>{next_.data()})) != 0)
    throw UsageError(
        "louvain needs edges that weigh the same in both directions, and some do not: --undirected makes two of each");
  total_ = vertex_sum<std::uint64_t>(exec_, n, louvain::NumberOf<std::uint64_t>{degrees_.data()});
  loops_ = sum_of_ranks(exec_, exec_.fetch(loops, 0));
}

template <class Exec, class View>
EdgeId LouvainRun<Exec, View>::move_some(std::uint64_t part, std::uint64_t half) {
  const std::uint64_t n = graph_.num_vertices();
  const std::uint64_t draw = round_.number * louvain::kMostSweeps + round_.sweeps;
  const louvain::Select select{n,    tile_shift_,    part,         half,
                               draw, states_.data(), next_.data(), frontier_.start_empty_bitmap(exec_)};
  vertex_map(exec_, select.places(), select);
  frontier_.count_members(exec_);
  if (frontier_.empty()) return 0;
  push(frontier_, [&]<class Weights>(const Weights& weights) {
    return louvain::Tally<Exec, Weights, louvain::VertexTables>{weights, tables(), slots_.data(), labels_.data(), 0};
  });
  const louvain::Choosing choosing{
      tables(),       slots_.data(), degrees_.data(), totals_.data(),
      labels_.data(), next_.data(),  states_.data(),  options_.resolution / static_cast<double>(total_)};
  frontier_map(exec_, frontier_, louvain::Choose{choosing});
  const louvain::OfLongTables of_long{choosing, pieces_.data(), long_moves_.data()};
  vertex_map(exec_, pieces_.size(), louvain::FindOwn{of_long});
  vertex_map(exec_, pieces_.size(), louvain::FindBest{of_long}, 1);
  vertex_map(exec_, pieces_.size(), louvain::ChooseLong{of_long}, 1);
  collect_members(exec_, frontier_, next_);
  frontier_map(exec_, frontier_, louvain::Move{choosing, moved_.start_empty_bitmap(exec_)});
  moved_.count_members(exec_);
  const EdgeId edges = moved_.edges();
  if (edges != 0) push(moved_, [&](const auto&) { return louvain::Activate{labels_.data(), states_.data()}; });
  return edges;
}

template <class Exec, class View>
template <class State>
void LouvainRun<Exec, View>::move_vertices(State& state) {
  const std::size_t n = graph_.num_vertices();
  fill(exec_, totals_, std::uint64_t{0});
  vertex_map(exec_, n, louvain::AddByLabel{labels_.data(), degrees_.data(), totals_.data()});
  Progress progress("communities", 0, "sweep");
  for (; round_.goes_on != 0; state.save()) {
    const std::uint64_t before = stats_.edges_examined;
    EdgeId moved = 0;
    for (std::uint64_t some = 0; some < louvain::kParts * louvain::kHalves; ++some)
      moved += move_some(louvain::part_of_turn(some / louvain::kHalves), some % louvain::kHalves);
    ++round_.sweeps;
    const bool goes_on = moved > graph_.num_edges / louvain::kFewMoved && round_.sweeps < louvain::kMostSweeps &&
                         (round_.sweeps < louvain::kSwapping || moved < round_.last_moved - round_.last_moved / 10);
    round_.goes_on = goes_on ? 1 : 0;
    round_.last_moved = moved;
    ++stats_.iterations;
    progress.end_round(stats_.edges_examined - before);
  }
}

template <class Exec, class View>
louvain::Communities LouvainRun<Exec, View>::sum_communities(std::vector<VertexId>& numbers) {
  const std::size_t n = graph_.num_vertices();
  numbers = exec_.download(labels_);
  const VertexId count = louvain::number_in_order(numbers);
  exec_.upload(numbers, labels_);
  fill(exec_, totals_, std::uint64_t{0});
  vertex_map(exec_, n, louvain::CountEdges{graph_.out, labels_.data(), totals_.data()});
  const std::vector<std::uint64_t> sums = exec_.download(totals_);
  const auto with_edges = static_cast<EdgeId>(n - static_cast<std::size_t>(std::ranges::count(sums, std::uint64_t{0})));
  std::vector<EdgeId> begins(std::size_t{count} + 1);
  EdgeId most = 1;
  for (VertexId c = 0; c < count; ++c) {
    const EdgeId neighbours = std::min<EdgeId>(sums[c], with_edges);
    const EdgeId slots = neighbours == 0 ? 0 : neighbours + neighbours / 2 + 1;
    begins[c + std::size_t{1}] = begins[c] + slots;
    most = std::max(most, slots);
  }
  if (slots_.size() < most) {
    slots_ = {};
    slots_ = exec_.template make_array<louvain::Slot>(most);
    fill(exec_, slots_, louvain::kEmptySlot);
  }
  auto begins_there = exec_.template make_array<EdgeId>(begins.size());
  exec_.upload(begins, begins_there);
  fill(exec_, totals_, std::uint64_t{0});
  vertex_map(exec_, n, louvain::AddByLabel{labels_.data(), degrees_.data(), totals_.data()});
  louvain::Communities graph;
  graph.totals = exec_.download(totals_);
  graph.totals.resize(count);
  graph.totals.shrink_to_fit();
  std::vector<louvain::Pair> pairs;
  for (VertexId first = 0, last = 0; first < count; first = last) {
    const auto end = std::ranges::upper_bound(begins, begins[first] + slots_.size());
    last = static_cast<VertexId>(end - begins.begin() - 1);
    vertex_filter(exec_, n, louvain::HasNumberWithin{labels_.data(), first, last}, frontier_);
    push(frontier_, [&]<class Weights>(const Weights& weights) {
      const louvain::CommunityTables tables{labels_.data(), begins_there.data(), begins[first]};
      return louvain::Tally<Exec, Weights, louvain::CommunityTables>{weights, tables, slots_.data(), labels_.data(), 2};
    });
    read_tables(begins, first, last, pairs);
    pairs = ranks::concatenate(exec_, std::move(pairs));
    const auto by_ends = [](const auto& a, const auto& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); };
    if (!std::ranges::is_sorted(pairs, by_ends)) std::ranges::sort(pairs, by_ends);  // of several ranks
    const louvain::Pair* pair = pairs.data();
    const louvain::Pair* const all = pair + pairs.size();
    for (VertexId c = first; c < last; ++c) {
      const louvain::Pair* const begin = pair;
      while (pair != all && pair->from == c) ++pair;
      graph.append(begin, pair);
    }
  }
  return graph;
}

template <class Exec, class View>
void LouvainRun<Exec, View>::read_tables(const std::vector<EdgeId>& begins, VertexId first, VertexId last,
                                         std::vector<louvain::Pair>& pairs) {
  std::vector<louvain::Slot> copy;
  const louvain::Slot* slots = nullptr;
  if constexpr (std::is_same_v<Exec, CpuExecutor>) {
    slots = slots_.data();
  } else {
    copy = exec_.download(slots_);
    slots = copy.data();
  }
  pairs.clear();
  for (VertexId c = first; c < last; ++c) {
    const auto before = static_cast<std::ptrdiff_t>(pairs.size());
    for (EdgeId s = begins[c] - begins[first]; s < begins[c + std::size_t{1}] - begins[first]; ++s)
      if (slots[s].label != kNoVertex) pairs.push_back({c, slots[s].label, slots[s].count});
    std::sort(pairs.begin() + before, pairs.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
  }
  fill(exec_, slots_, louvain::kEmptySlot);
}

template <class Exec, class View>
LouvainOutput LouvainRun<Exec, View>::join() {
  const std::size_t n = graph_.num_vertices();
  LouvainOutput found;
  louvain::Communities graph = sum_communities(found.labels);
  found.modularity = louvain::modularity_of(graph, options_.resolution);
  constexpr double kSumError = 1e-12;  // of two orders of adding up
  if (total_ != 0 && found.modularity < modularity_alone() - kSumError) {  // too many moved at a time
    vertex_map(exec_, n, louvain::StartAlone{labels_.data()});
    graph = sum_communities(found.labels);
    found.modularity = louvain::modularity_of(graph, options_.resolution);
  }
  for (found.levels = round_.levels + 1;; ++found.levels) {
    VertexId count = 0;
    const std::vector<VertexId> joined = louvain::join_communities(graph, options_.resolution, count);
    if (count == graph.count()) break;
    for (VertexId& number : found.labels) number = joined[number];
    graph = louvain::merge(graph, joined, count);
    found.modularity = louvain::modularity_of(graph, options_.resolution);
  }
  std::vector<VertexId> firsts(graph.count(), kNoVertex);
  for (std::size_t v = 0; v < n; ++v) firsts[found.labels[v]] = std::min(firsts[found.labels[v]], static_cast<VertexId>(v));
  for (VertexId& number : found.labels) number = firsts[number];
  return found;
}

template <class Exec, class View>
bool LouvainRun<Exec, View>::begin_next(const LouvainOutput& found) {
  const std::size_t n = graph_.num_vertices();
  const bool is_small = graph_.num_edges <= louvain::kSmallGraph;
  const bool rose = found.modularity > round_.before + louvain::kLeastRise;
  if (found.modularity > round_.best_modularity) {
    round_.best_modularity = found.modularity;
    round_.best_levels = found.levels;
    exec_.upload(found.labels, best_);
  }
  louvain::Round next{.number = round_.number + 1,
                      .starts = round_.starts,
                      .best_modularity = round_.best_modularity,
                      .best_levels = round_.best_levels};
  if (rose && (is_small || next.number < louvain::kMostRounds)) {
    next.before = found.modularity;
    next.levels = found.levels;
    exec_.upload(found.labels, labels_);
  } else if (is_small && next.starts < louvain::kStarts) {
    ++next.starts;
    vertex_map(exec_, n, louvain::StartAlone{labels_.data()});
  } else {
    return false;
  }
  vertex_map(exec_, n, louvain::StartActive{degrees_.data(), states_.data()});
  round_ = next;
  return true;
}

template <class Exec, class View>
AlgoStats LouvainRun<Exec, View>::run() {
  const std::size_t n = graph_.num_vertices();
  stats_ = {};
  round_ = {};
  weigh();
  vertex_map(exec_, n, louvain::StartAlone{labels_.data()});
  vertex_map(exec_, n, louvain::StartActive{degrees_.data(), states_.data()});
  SavedState state(exec_, labels_, best_, states_, round_);
  do move_vertices(state);
  while (begin_next(join()));
  output_ = {exec_.download(best_), round_.best_modularity, round_.best_levels};
  exec_.synchronize();
  return stats_;
}

template <class Exec, class View>
double LouvainRun<Exec, View>::modularity_alone() {
  const double all = static_cast<double>(total_);
  const auto squares = vertex_sum<double>(exec_, graph_.num_vertices(), louvain::SquareShare{degrees_.data(), all});
  return static_cast<double>(loops_) / all - options_.resolution * squares;
}

}  // namespace graphrun::inline GR_IDS
