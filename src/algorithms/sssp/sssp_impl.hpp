// SPDX-License-Identifier: Apache-2.0
// Shortest paths, both executors: relaxes edges in the order of their source's tentative distance, bucket by bucket of width
// delta, until no distance falls. The operator keeps the order.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/sssp/sssp_functors.hpp"
#include "graphrun/algorithms/sssp.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/ops/checkpoint.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::sssp::inline GR_IDS {

/// Returns a default width: a bucket should hold about a vertex's mean edge. Wider ones relax edges repeatedly, narrower ones
/// leave the machine idle. A bucket as narrow as the lightest edge settles in one pass.
///
/// With page eviction narrow buckets cost more: few lists make reads small and scattered, and a page returns for every bucket
/// that has one of its lists.
inline double automatic_delta(const WeightStats& weights, double mean_degree, bool by_pages) {
  constexpr double kTimesWiderByPages = 16;
  const double width = weights.mean / std::max(1.0, mean_degree) * (by_pages ? kTimesWiderByPages : 1);
  return std::max({weights.smallest, width, weights.largest * 1e-6});
}

/// Returns a positive width that Distance can hold.
template <class Distance>
double usable_delta(double delta) {
  // The largest double below 2^64; a sum of 32 bits and a width fit 33.
  constexpr double kWidest = std::is_same_v<Distance, std::uint64_t> ? 0x1p64 - 0x1p11 : 0x1p31;
  if constexpr (std::is_integral_v<Distance>) return std::clamp(std::round(delta), 1.0, kWidest);
  if (!(delta > 0)) return 1;  // all weights are zero: one bucket
  return std::clamp(delta, static_cast<double>(std::numeric_limits<Distance>::min()),
                    static_cast<double>(std::numeric_limits<Distance>::max()));
}

}  // namespace graphrun::sssp::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class Distance>
Paths<Exec, Distance>::Paths(Exec& exec, VertexId num_vertices)
    : exec_(exec),
      distances_(exec.template make_array<Distance>(num_vertices)),
      overflow_(exec.template make_array<std::uint32_t>(1)) {}

template <class Exec, class Distance>
void Paths<Exec, Distance>::begin(VertexId source) {
  source_ = source;
  fill(exec_, distances_, sssp::unreached<Distance>());
  exec_.store(distances_, source, Distance{0});
  exec_.store(overflow_, 0, 0u);
}

template <class Exec, class Distance>
bool Paths<Exec, Distance>::overflowed() {
  return largest_of_ranks(exec_, exec_.fetch(overflow_, 0)) != 0;
}

template <class Exec, class Distance>
SsspOutput Paths<Exec, Distance>::output(SsspOutput earlier) {
  using Shown = std::conditional_t<std::is_floating_point_v<Distance>, Distance, std::uint64_t>;
  std::vector<Shown> shown;
  if (auto* const memory = std::get_if<std::vector<Shown>>(&earlier.distances)) shown = std::move(*memory);
  if constexpr (std::is_same_v<Distance, Shown>) {
    shown = exec_.download(distances_, 0, distances_.size(), std::move(shown));  // unreached is kUnreachedDistance or infinite
  } else {
    constexpr std::size_t kAtOnce = 1 << 17;  // distances that stay in a cache until they are widened
    reserve_huge(shown, distances_.size());
    shown.resize(distances_.size());
    std::vector<Distance> some;
    for (std::size_t first = 0; first < shown.size(); first += some.size()) {
      some = exec_.download(distances_, first, std::min(first + kAtOnce, shown.size()), std::move(some));
      std::ranges::transform(some, shown.begin() + static_cast<std::ptrdiff_t>(first), [](Distance distance) {
        return distance == sssp::unreached<Distance>() ? kUnreachedDistance : std::uint64_t{distance};
      });
    }
  }
  return {source_, std::move(shown)};
}

template <class Exec, class View, class Weight, class Distance>
SsspRun<Exec, View, Weight, Distance>::SsspRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options,
                                               const WeightStats& weights)
    : Paths<Exec, Distance>(exec, graph.num_vertices()), graph_(graph), queue_(exec, graph.out) {
  load_kernels<SsspRun>(exec);
  const double mean_degree = static_cast<double>(graph.num_edges) / std::max(1.0, double(graph.num_vertices()));
  const auto delta = [&](bool by_pages) {
    const double chosen = options.delta != 0 ? options.delta : sssp::automatic_delta(weights, mean_degree, by_pages);
    return sssp::usable_delta<Distance>(chosen);
  };
  delta_of_array_ = delta(false);
  delta_by_pages_ = delta(wants_order(graph.out_edges));
  delta_ = delta_by_pages_;
}

template <class Exec, class View, class Weight, class Distance>
AlgoStats SsspRun<Exec, View, Weight, Distance>::run(VertexId source) {
  this->begin(source);
  delta_ = array_now<is_weighted<Weight>>(this->exec_, graph_.out_edges) ? delta_of_array_ : delta_by_pages_;
  const sssp::Relax<Weight, Distance> relax{
      this->distances_.data(), this->overflow_.data(), static_cast<Distance>(delta_), {graph_.weight_table}};
  queue_.near.clear();
  SavedState state(this->exec_, this->distances_, this->overflow_);
  if (state.resumed())
    vertex_filter(this->exec_, graph_.num_vertices(), sssp::IsReached<Distance>{this->distances_.data()}, queue_.near);
  else
    queue_.near.insert(this->exec_, source);
  queue_.after_round = [&] { state.save(); };
  const EdgeMapStats stats = edge_map_ordered(this->exec_, graph_.out, graph_.out_edges, queue_, relax);
  queue_.after_round = nullptr;
  this->exec_.synchronize();
  return {stats.steps, stats.edges};
}

}  // namespace graphrun::inline GR_IDS
