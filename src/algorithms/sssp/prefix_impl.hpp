// SPDX-License-Identifier: Apache-2.0
// Shortest paths by prefixes, for executors that have edge_map_prefixes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "algorithms/sssp/prefix.hpp"
#include "algorithms/sssp/sssp_impl.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/cached_prefixes.hpp"

namespace graphrun::sssp::inline GR_IDS {

/// Returns the share of weights below x, evenly distributed between two quantiles.
inline double share_below(const WeightStats& weights, double x) {
  const auto& borders = weights.quantiles;
  if (x <= borders.front()) return 0;
  const auto next = std::lower_bound(borders.begin(), borders.end(), x);
  if (next == borders.end()) return 1;
  const double before = *(next - 1);
  return (static_cast<double>(next - 1 - borders.begin()) + (x - before) / (*next - before)) / WeightStats::kQuantiles;
}

/// A pull's estimated reads of edges. For each band of unsettled vertices, the first settled band that it pulls from; earlier
/// ones push to it. It does not rise with the band.
struct PullEstimate {
  double edges = 0;
  std::array<std::size_t, kBands> first = {};
};

/// Estimates a pull. `settled` and `open`: edges by band. `width`: of a band. Sums up to `current` were pushed before. `bands`:
/// number of bands with settled vertices.
inline PullEstimate estimate_pull(const double* settled, const double* open, double width, double current, std::size_t bands,
                                  const WeightStats& weights) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::array<double, kBands + 1>> best(kBands);
  std::vector<std::array<std::size_t, kBands + 1>> before(kBands);
  for (std::size_t c = 0; c < kBands; ++c) {
    const double low = std::max(current, static_cast<double>(c) * width);
    const double high = c + 1 == kBands ? kNever : static_cast<double>(c + 1) * width;
    double pushed = 0;
    double least_before = kNever;  // of the band below c, over bands not before t
    std::size_t least_at = 0;
    std::array<double, kBands + 1> cost{};
    for (std::size_t t = 0; t <= bands; ++t) {
      if (t > 0) {
        const double from = (static_cast<double>(t) - 0.5) * width;
        pushed += settled[t - 1] * std::max(0.0, share_below(weights, high - from) - share_below(weights, low - from));
      }
      const double middle = std::min(high, low + width / 2);
      const double pulled = t == bands ? 0 : share_below(weights, middle - static_cast<double>(t) * width);
      cost[t] = pushed + open[c] * pulled;
    }
    for (std::size_t t = bands + 1; t-- > 0;) {
      if (c > 0 && best[c - 1][t] < least_before) least_before = best[c - 1][t], least_at = t;
      best[c][t] = cost[t] + (c > 0 ? least_before : 0);
      before[c][t] = least_at;
    }
  }
  PullEstimate estimate;
  std::size_t t = static_cast<std::size_t>(std::min_element(best[kBands - 1].begin(), best[kBands - 1].begin() + bands + 1) -
                                           best[kBands - 1].begin());
  estimate.edges = best[kBands - 1][t];
  for (std::size_t c = kBands; c-- > 0; t = before[c][t]) estimate.first[c] = t;
  return estimate;
}

}  // namespace graphrun::sssp::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View, class Weight, class Distance>
PrefixRun<Exec, View, Weight, Distance>::PrefixRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options,
                                                   const WeightStats& weights)
    : Paths<Exec, Distance>(exec, graph.num_vertices()),
      graph_(graph),
      weights_(weights),
      delta_(options.delta),
      queue_(exec, graph.out),
      open_(exec, graph.out),
      states_(exec.template make_array<sssp::PrefixState<Weight, Distance>>(graph.num_vertices())),
      plan_(exec.template make_array<sssp::PullPlan<Distance>>(1)),
      lowered_(ranks::make_notes<std::uint32_t>(exec, BitmapRef::words_for(graph.num_vertices()))) {
  load_kernels<PrefixRun>(exec);
  const double mean_degree = static_cast<double>(graph.num_edges) / std::max(1.0, double(graph.num_vertices()));
  if (delta_ == 0) {
    // Wider than for delta-stepping: a bucket reads only due edges. Wider still where pages return for each bucket, unless cached
    // prefixes serve most reads.
    const double times = wants_order(graph.out_edges) && cached_prefixes_of(graph.out_edges).lead == 0 ? 4 : 2;
    delta_ = std::max(weights.smallest + times * (weights.largest - weights.smallest) / std::max(1.0, mean_degree),
                      weights.largest * 1e-6);
  }
  delta_ = ranks::broadcast_from_root(exec, sssp::usable_delta<Distance>(delta_));
}

template <class Exec, class View, class Weight, class Distance>
AlgoStats PrefixRun<Exec, View, Weight, Distance>::run(VertexId source) {
  this->begin(source);
  fill(this->exec_, states_, sssp::PrefixState<Weight, Distance>{sssp::unreached<Distance>(), Weight{0}, 0});
  fill(this->exec_, lowered_, 0u);
  const auto delta = static_cast<Distance>(delta_);
  Push push{{this->distances_.data(), this->overflow_.data(), delta, {graph_.weight_table}, {lowered_.data()}},
            states_.data(),
            sssp::unreached<Distance>()};
  Books books;
  books.open_edges = graph_.num_edges;
  open_.clear();
  open_.insert(this->exec_, source);
  const RankPart part = this->exec_.part().within(graph_.num_vertices());
  while (sum_of_ranks(this->exec_, open_.size()) != 0) {
    const Next next = search(push, books);
    if (next == Next::done) break;
    if (next == Next::pull) {
      if (pull(push, books)) bound_open(push, books);
      books.unread = 0;
    }
    if (is_nearly_done(push, books)) push.relax.delta = std::numeric_limits<Distance>::max();  // one bucket for the rest
    vertex_filter(this->exec_, graph_.num_vertices(), sssp::IsOpen<Weight, Distance>{push, part.first, part.last}, open_);
  }
  this->exec_.synchronize();
  return books.stats;
}

template <class Exec, class View, class Weight, class Distance>
auto PrefixRun<Exec, View, Weight, Distance>::search(Push& push, Books& books) -> Next {
  const auto edges = static_cast<double>(graph_.num_edges);
  const bool finishes = push.relax.delta == std::numeric_limits<Distance>::max();
  Next next = Next::done;
  const auto go_on = [&](const PrefixCounts& found, std::uint64_t bucket) {
    books.open_edges -= found.edges;
    books.unread += static_cast<double>(found.unread);
    if (finishes) return true;
    if (graph_.symmetric && books.open_edges == 0) return false;
    if (push.bound != sssp::unreached<Distance>()) {
      books.open -= static_cast<double>(found.vertices);
      if (books.open == 0) return false;
      if (is_nearly_done(push, books)) next = Next::finish;
      if (books.open < books.bounded / 2) bound_open(push, books);
    }
    if (next == Next::done && books.open_edges != 0 &&
        static_cast<double>(books.open_edges - books.apart) <= books.share * edges) {
      books.share /= 2;
      if (plan_pull(push, static_cast<double>(bucket + 1) * static_cast<double>(push.relax.delta), books.unread))
        next = Next::pull;
    }
    return next == Next::done;
  };
  const EdgeMapStats stats = edge_map_prefixes_ordered(this->exec_, graph_.out, graph_.out_edges, queue_, open_, push, go_on);
  books.stats.iterations += stats.steps;
  books.stats.edges_examined += stats.edges;
  return next;
}

template <class Exec, class View, class Weight, class Distance>
bool PrefixRun<Exec, View, Weight, Distance>::is_nearly_done(const Push& push, const Books& books) const {
  constexpr double kShareLeft = 0.02;
  return push.bound != sssp::unreached<Distance>() &&
         static_cast<double>(books.open_edges - books.apart) < kShareLeft * static_cast<double>(graph_.num_edges);
}

template <class Exec, class View, class Weight, class Distance>
void PrefixRun<Exec, View, Weight, Distance>::bound_open(Push& push, Books& books) {
  const sssp::CountByBand<Weight, Distance> count{push, bands_, graph_.out.offsets};
  const std::vector<double> found = vertex_histogram(this->exec_, graph_.num_vertices(), count.kBins, count);
  const double* const open = found.data() + count.kOpenVertices;
  books.open = books.bounded = std::accumulate(open, open + sssp::kBands, 0.0);
  books.apart = static_cast<EdgeId>(found[count.kUnreachedEdges]);
  push.bound = sssp::farthest<Distance>();
  for (std::size_t band = sssp::kBands; band-- > 0;) {
    if (open[band] == 0) continue;
    if (band + 1 < sssp::kBands) push.bound = bands_.end_of(band);
    break;
  }
}

template <class Exec, class View, class Weight, class Distance>
bool PrefixRun<Exec, View, Weight, Distance>::plan_pull(const Push& push, double current, double unread) {
  using sssp::kBands;
  constexpr double kEdgesAVertex = 3;  // cost of looking at a list, in edges
  constexpr double kWorthIt = 0.7;
  const double width = (current + weights_.largest) / (kBands - 1);
  bands_.width = std::is_integral_v<Distance> ? static_cast<Distance>(std::ceil(width))
                                              : std::max(static_cast<Distance>(width), std::numeric_limits<Distance>::min());
  const sssp::CountByBand<Weight, Distance> count{push, bands_, graph_.out.offsets};
  std::vector<double> found = vertex_histogram(this->exec_, graph_.num_vertices(), count.kBins, count);
  double* const open = found.data() + count.kOpenEdges;
  const double* const vertices = found.data() + count.kOpenVertices;
  open[kBands - 1] += found[count.kUnreachedEdges];
  // One more than `current` needs: it may be rounded.
  const auto settled = std::min<std::size_t>(kBands, static_cast<std::size_t>(current / static_cast<double>(bands_.width)) + 2);
  const auto estimate = sssp::estimate_pull(found.data(), open, static_cast<double>(bands_.width), current, settled, weights_);
  const double looked_at = std::accumulate(vertices, vertices + kBands, found[count.kUnreached]);
  if (estimate.edges + kEdgesAVertex * looked_at >= kWorthIt * unread) return false;

  sssp::PullPlan<Distance> plan;
  plan.bands = bands_;
  for (std::size_t band = 0; band < kBands; ++band) {
    const std::size_t first = estimate.first[band];
    plan.nearest[band] = first >= settled ? sssp::unreached<Distance>() : bands_.begin_of(first);
    plan.horizon[band] = -1;
    for (std::size_t c = 0; c < kBands; ++c) {
      if (estimate.first[c] > band) plan.horizon[band] = static_cast<int>(c);
    }
  }
  this->exec_.store(plan_, 0, plan);
  return true;
}

template <class Exec, class View, class Weight, class Distance>
bool PrefixRun<Exec, View, Weight, Distance>::pull(const Push& push, Books& books) {
  constexpr int kMostPasses = 4;
  constexpr double kMostUnreached = 1.0 / 32;  // of the edges: unreached vertices may have long in-lists
  const auto read = [&](const EdgeMapStats& stats) {
    ++books.stats.iterations;
    books.stats.edges_examined += stats.edges;
  };
  const auto* plan = plan_.data();
  read(edge_map_prefixes(this->exec_, graph_.out, graph_.out_edges, sssp::PushToHorizon<Weight, Distance>{push, plan}));
  read(edge_map_prefixes(this->exec_, graph_.in, graph_.in_edges, sssp::PullNearest<Weight, Distance>{push, plan, false}));
  if (push.bound != sssp::unreached<Distance>()) return true;
  const VertexId n = graph_.num_vertices();
  const sssp::CountByBand<Weight, Distance> count{push, bands_, graph_.in.offsets};
  const std::vector<double> found = vertex_histogram(this->exec_, n, count.kBins, count);
  if (found[count.kUnreached] == 0) return true;
  if (found[count.kUnreachedEdges] > kMostUnreached * static_cast<double>(graph_.num_edges)) return false;
  const auto count_reached = [&] { return own_sum<double>(this->exec_, n, sssp::IsReached<Distance>{push.relax.distances}); };
  double before = count_reached();
  const double all = before + found[count.kUnreached];
  for (int pass = 0; pass < kMostPasses; ++pass) {
    read(edge_map_prefixes(this->exec_, graph_.in, graph_.in_edges, sssp::PullNearest<Weight, Distance>{push, plan, true}));
    const double reached = count_reached();
    if (reached == before || reached == all) return true;
    before = reached;
  }
  return false;
}

}  // namespace graphrun::inline GR_IDS
