// Shortest paths, both executors: relax edges in the order of the tentative distance of their source, one bucket of
// width delta after another, until no distance can be lowered. The order is the operator's business.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "graphrun/algo/sssp.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::sssp::inline GR_IDS {

template <class Distance>
GR_HD constexpr Distance unreached() {
  if constexpr (std::is_floating_point_v<Distance>) return std::numeric_limits<Distance>::infinity();
  return std::numeric_limits<Distance>::max();
}

template <class WeightType, class Distance>
struct Relax {
  using Weight = WeightType;
  static constexpr Distance kLargestDistance = std::numeric_limits<Distance>::max();
  Distance* distances;
  std::uint32_t* overflow;
  Distance delta;

  GR_HD std::uint64_t bucket_of(Distance distance) const {
    if constexpr (std::is_floating_point_v<Distance>) {
      // A quotient may be too large for an integer, infinite, or no number; all of those wait in one last bucket.
      const Distance quotient = distance / delta;
      return quotient < Distance{0x1p62f} ? static_cast<std::uint64_t>(quotient) : std::uint64_t{1} << 62;
    } else {
      return distance / delta;
    }
  }
  GR_HD std::uint64_t bucket(VertexId v) const { return bucket_of(atomics::load(distances[v])); }
  GR_HD bool settled(VertexId v, std::uint64_t current) const { return bucket(v) < current; }
  GR_HD Distance source(VertexId u) const { return atomics::load(distances[u]); }

  GR_HD bool operator()(Distance from, VertexId v, Weight w) const {
    Distance candidate = from + static_cast<Distance>(w);
    if constexpr (std::is_floating_point_v<Distance>) {
      // An infinite sum would leave v looking unreached. This one is refused with the answer.
      candidate = candidate < kLargestDistance ? candidate : kLargestDistance;
    } else if constexpr (std::is_same_v<Distance, std::uint32_t>) {
      if (candidate < from || candidate == unreached<Distance>()) {
        // Longer than any distance that fits, so it only matters where nothing shorter is known.
        if (atomics::load(distances[v]) == unreached<Distance>()) atomics::store(*overflow, 1u);
        return false;
      }
    }
    return candidate < atomics::load(distances[v]) && candidate < atomics::fetch_min(distances[v], candidate);
  }
};

/// A bucket should hold about one mean edge a vertex has: wider ones relax edges again and again, narrower ones leave the
/// machine idle. Narrower than the lightest edge is pointless: a bucket of that width settles in one pass.
///
/// Where pages come and go the opposite costs more: a narrow bucket has few lists, so that reads are small and far apart, and a
/// page comes again for every bucket that has one of its lists.
inline double automatic_delta(const WeightStats& weights, double mean_degree, bool by_pages) {
  constexpr double kTimesWiderByPages = 16;
  const double width = weights.mean / std::max(1.0, mean_degree) * (by_pages ? kTimesWiderByPages : 1);
  return std::max({weights.smallest, width, weights.largest * 1e-6});
}

}  // namespace graphrun::sssp::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View, class Weight, class Distance>
SsspRun<Exec, View, Weight, Distance>::SsspRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options,
                                               const WeightStats& weights)
    : exec_(exec),
      graph_(graph),
      delta_(options.delta),
      queue_(exec, graph.out),
      distances_(exec.template make_array<Distance>(graph.num_vertices())),
      overflow_(exec.template make_array<std::uint32_t>(1)) {
  if (delta_ == 0) {
    const double mean_degree = static_cast<double>(graph.num_edges) / std::max(1.0, double(graph.num_vertices()));
    delta_ = sssp::automatic_delta(weights, mean_degree, wants_order(graph.out_edges));
  }
  if constexpr (std::is_integral_v<Distance>) {
    delta_ = std::clamp(std::round(delta_), 1.0, 0x1p31);
  } else {
    if (!(delta_ > 0)) delta_ = 1;  // all weights are zero: one bucket
    delta_ = std::clamp(delta_, static_cast<double>(std::numeric_limits<Distance>::min()),
                        static_cast<double>(std::numeric_limits<Distance>::max()));
  }
}

template <class Exec, class View, class Weight, class Distance>
AlgoStats SsspRun<Exec, View, Weight, Distance>::run(VertexId source) {
  source_ = source;
  fill(exec_, distances_, sssp::unreached<Distance>());
  exec_.store(distances_, source, Distance{0});
  exec_.store(overflow_, 0, 0u);
  const sssp::Relax<Weight, Distance> relax{distances_.data(), overflow_.data(), static_cast<Distance>(delta_)};
  const EdgeMapStats stats = edge_map_ordered(exec_, graph_.out, graph_.out_edges, queue_, source, relax);
  exec_.synchronize();
  return {stats.steps, stats.edges};
}

template <class Exec, class View, class Weight, class Distance>
bool SsspRun<Exec, View, Weight, Distance>::overflowed() {
  return exec_.fetch(overflow_, 0) != 0;
}

template <class Exec, class View, class Weight, class Distance>
SsspOutput SsspRun<Exec, View, Weight, Distance>::output() {
  const std::vector<Distance> found = exec_.download(distances_);
  if constexpr (std::is_same_v<Distance, float>) {
    return {source_, found};
  } else {
    std::vector<std::uint64_t> whole(found.begin(), found.end());
    for (auto& distance : whole) {
      if (distance == sssp::unreached<Distance>()) distance = kUnreachedDistance;
    }
    return {source_, std::move(whole)};
  }
}

}  // namespace graphrun::inline GR_IDS
