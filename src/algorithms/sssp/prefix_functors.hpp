// SPDX-License-Identifier: Apache-2.0
// The three ways in which a search by prefixes reads records, ascending by weight. A settled vertex reads on for a bucket, or to
// a horizon; an unsettled one reads what could still lower its distance.
//
// Floats are compared only as sums: adding a weight preserves their order, rounding included.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "algorithms/sssp/sssp_functors.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::sssp::inline GR_IDS {

/// A vertex's position in its list, and the distance with which its edges were relaxed.
template <class Weight, class Distance>
struct PrefixState {
  Distance at;          ///< unreached: the list was not opened, and the vertex is not settled
  Weight least;         ///< lower bound of the unread weights
  std::uint32_t steps;  ///< kFinished: nothing remains to read
};
inline constexpr std::uint32_t kFinished = kPrefixSteps;

/// A position in a list.
template <class WeightType>
struct ListCursor {
  using Weight = WeightType;
  Weight least;
  std::uint32_t steps;
  bool is_at_end = false;

  GR_HD void pass(Weight heaviest, std::uint32_t passed = 1) {
    least = heaviest;
    steps += passed;
  }
  /// Merges the cursors of workers that read a list together; least(x) is the least x of all.
  template <class Least>
  GR_HD void combine(const Least&) {}
};

template <class Weight, class Distance>
struct PushCursor : ListCursor<Weight> {
  Distance from;
  Distance delta;
  Distance bound;
  std::uint64_t bucket;
  WeightDecoder<Weight, Distance> decode;

  GR_HD std::uint64_t due() const {
    const Distance sum = bounded_sum(from, decode(this->least));
    return sum < bound ? bucket_of(sum, delta) : kNoBucket;
  }
  GR_HD bool goes_on() const { return due() <= bucket; }
};

/// The functor of edge_map_prefixes_ordered.
template <class WeightType, class Distance>
struct PushPrefixes {
  using Weight = WeightType;
  Relax<Weight, Distance> relax;
  PrefixState<Weight, Distance>* states;
  Distance bound;  ///< above all distances that are not final; unreached: unknown

  GR_HD const Relax<Weight, Distance>& relaxing() const { return relax; }
  GR_HD std::uint64_t bucket(VertexId v) const { return relax.bucket(v); }
  GR_HD std::uint32_t steps(VertexId v) const { return atomics::load(states[v].steps) & kPrefixSteps; }
  /// Returns whether v's list was opened with v's distance.
  GR_HD bool is_open(VertexId v) const { return atomics::load(states[v].at) == atomics::load(relax.distances[v]); }
  /// Returns the bucket in which v's list is to be opened or read on; any bucket for a fully read list.
  GR_HD std::uint64_t due(VertexId v) const {
    const Distance from = atomics::load(relax.distances[v]);
    if (atomics::load(states[v].at) != from) return bucket_of(from, relax.delta);
    return cursor(from, atomics::load(states[v].least), 0, 0).due();
  }
  /// Another worker may be reading the list. It looks at v again, or has seen its distance.
  GR_HD bool is_due(VertexId v, std::uint64_t current) const { return due(v) <= current; }
  GR_HD PushCursor<Weight, Distance> open(VertexId v, std::uint64_t current, EdgeId begin, EdgeId end,
                                          PrefixCounts& counts) const {
    const PrefixState<Weight, Distance>& state = states[v];
    const Distance from = atomics::load(relax.distances[v]);
    const std::uint32_t read = steps(v);
    if (state.at == from) return cursor(from, state.least, read, current);
    // From the start: for the first time, or because the distance fell since.
    if (state.at == unreached<Distance>()) {
      ++counts.vertices;
      counts.edges += end - begin;
      counts.unread += static_cast<std::int64_t>(end - begin);
    } else {
      counts.unread += static_cast<std::int64_t>(record_of_step(begin, end, read) - begin);
    }
    return cursor(from, Weight{0}, 0, current);
  }
  /// Returns a cursor for a further worker in the middle of v's list, with the distance of the last close().
  GR_HD PushCursor<Weight, Distance> resume(VertexId v, std::uint64_t current) const {
    return cursor(atomics::load(states[v].at), Weight{0}, 0, current);
  }
  GR_HD std::uint64_t close(VertexId v, const PushCursor<Weight, Distance>& cursor) const {
    atomics::store(states[v].least, cursor.least);
    atomics::store(states[v].at, cursor.from);
    return cursor.is_at_end ? kNoBucket : cursor.due();
  }
  void prefetch(VertexId v) const {
    graphrun::prefetch(&relax.distances[v]);
    graphrun::prefetch(&states[v]);
  }

 private:
  GR_HD PushCursor<Weight, Distance> cursor(Distance from, Weight least, std::uint32_t steps, std::uint64_t current) const {
    return {{least, steps}, from, relax.delta, bound, current, relax.decode};
  }
};

/// Bands of distances for a table: equal widths, and a last one for all above.
inline constexpr std::size_t kBands = 64;
template <class Distance>
struct Bands {
  Distance width;
  GR_HD std::size_t of(Distance distance) const {
    const std::uint64_t band = bucket_of(distance, width);
    return band < kBands ? static_cast<std::size_t>(band) : kBands - 1;
  }
  /// Returns a lower bound of the distances of `band` and later ones.
  Distance begin_of(std::size_t band) const { return edge(band, 1 - kSlack); }
  /// Returns an upper bound of the distances of `band`, except the last.
  Distance end_of(std::size_t band) const { return edge(band + 1, 1 + kSlack); }

 private:
  static constexpr double kSlack = 1e-6;  // above the rounding of a quotient of two floats
  Distance edge(std::size_t band, double slack) const {
    if constexpr (std::is_integral_v<Distance>) {
      const auto times = static_cast<Distance>(band);
      return times != 0 && width > farthest<Distance>() / times ? farthest<Distance>() : times * width;
    } else {
      const double product = static_cast<double>(band) * static_cast<double>(width) * slack;
      return product < static_cast<double>(farthest<Distance>()) ? static_cast<Distance>(product) : farthest<Distance>();
    }
  }
};

/// A plan of pushes and pulls. Settled vertices of band b push to distances up to band horizon[b]; unsettled vertices of band c
/// pull from settled ones at distance `nearest[c]` or more.
template <class Distance>
struct PullPlan {
  Bands<Distance> bands;
  int horizon[kBands];       ///< -1: nothing more
  Distance nearest[kBands];  ///< unreached: nothing is pulled
};

/// The functor of edge_map_prefixes: settled vertices read on to their horizon, and are finished.
template <class WeightType, class Distance>
struct PushToHorizon {
  using Weight = WeightType;
  struct Cursor : ListCursor<Weight> {
    Distance from;
    Bands<Distance> bands;
    int horizon;
    Distance bound;
    WeightDecoder<Weight, Distance> decode;

    GR_HD bool goes_on() const {
      const Distance sum = bounded_sum(from, decode(this->least));
      return sum < bound && static_cast<int>(bands.of(sum)) <= horizon;
    }
  };
  PushPrefixes<Weight, Distance> push;
  const PullPlan<Distance>* plan;

  GR_HD const Relax<Weight, Distance>& relaxing() const { return push.relax; }
  GR_HD bool wants(VertexId v) const { return push.states[v].at != unreached<Distance>() && push.states[v].steps != kFinished; }
  GR_HD std::uint32_t steps(VertexId v) const { return push.states[v].steps; }
  void prefetch(VertexId) const {}
  GR_HD Cursor open(VertexId v) const {
    const PrefixState<Weight, Distance>& state = push.states[v];
    return {{state.least, state.steps}, state.at, plan->bands, plan->horizon[plan->bands.of(state.at)], push.bound,
            push.relax.decode};
  }
  GR_HD void visit(const Cursor& cursor, VertexId v, Weight weight, Distance seen) const {
    push.relax(cursor.from, v, weight, seen);
  }
  GR_HD void close(VertexId v, const Cursor&) const { push.states[v].steps = kFinished; }
};

/// The functor of edge_map_prefixes over in-edges: unsettled vertices take the least distance that a neighbour offers.
template <class WeightType, class Distance>
struct PullNearest {
  using Weight = WeightType;
  struct Cursor : ListCursor<Weight> {
    Distance best;
    const PullPlan<Distance>* plan;
    WeightDecoder<Weight, Distance> decode;
    bool takes_any;
    bool overflowed = false;

    GR_HD bool goes_on() const {
      if (takes_any) return best == unreached<Distance>();
      const Distance nearest = plan->nearest[plan->bands.of(best)];
      return nearest != unreached<Distance>() && bounded_sum(nearest, decode(this->least)) < best;
    }
    template <class Least>
    GR_HD void combine(const Least& least_of) {
      best = least_of(best);
      overflowed = least_of(overflowed ? 0u : 1u) == 0;
    }
  };
  PushPrefixes<Weight, Distance> push;
  const PullPlan<Distance>* plan;
  bool unreached_only;  ///< tests for reachability: takes the first offered distance

  GR_HD const Relax<Weight, Distance>& relaxing() const { return push.relax; }
  GR_HD bool wants(VertexId v) const {
    return unreached_only ? push.relax.state(v) == unreached<Distance>() : push.states[v].at == unreached<Distance>();
  }
  GR_HD std::uint32_t steps(VertexId) const { return 0; }
  void prefetch(VertexId) const {}
  GR_HD Cursor open(VertexId v) const {
    return {{Weight{0}, 0}, atomics::load(push.relax.distances[v]), plan, push.relax.decode, unreached_only};
  }
  GR_HD void visit(Cursor& cursor, VertexId, Weight weight, Distance from) const {
    if (from == unreached<Distance>()) return;
    const Distance sum = bounded_sum(from, cursor.decode(weight));
    if (std::is_same_v<Distance, std::uint32_t> && sum == farthest<Distance>())
      cursor.overflowed = true;
    else if (sum < cursor.best)
      cursor.best = sum;
  }
  GR_HD void close(VertexId v, const Cursor& cursor) const {
    if (cursor.best != unreached<Distance>()) {
      push.relax.take(v, cursor.best);  // others may have read other parts of the list
    } else if (cursor.overflowed && atomics::load(push.relax.distances[v]) == unreached<Distance>()) {
      atomics::store(*push.relax.overflow, 1u);
    }
  }
};

/// The inputs of a plan, by band: edges of settled vertices, and edges and number of reached unsettled ones. Also number and
/// edges of unreached vertices with edges.
template <class Weight, class Distance>
struct CountByBand {
  static constexpr std::size_t kOpenEdges = kBands;
  static constexpr std::size_t kOpenVertices = 2 * kBands;
  static constexpr std::size_t kUnreached = 3 * kBands;
  static constexpr std::size_t kUnreachedEdges = 3 * kBands + 1;
  static constexpr std::size_t kBins = 3 * kBands + 2;
  PushPrefixes<Weight, Distance> push;
  Bands<Distance> bands;
  const EdgeId* offsets;

  template <class Add>
  GR_HD void operator()(VertexId v, const Add& add) const {
    const auto edges = static_cast<double>(offsets[v + 1] - offsets[v]);
    const PrefixState<Weight, Distance>& state = push.states[v];
    const Distance distance = push.relax.distances[v];
    if (state.at != unreached<Distance>()) {
      if (state.steps != kFinished) add(bands.of(state.at), edges);
    } else if (distance != unreached<Distance>()) {
      add(kOpenEdges + bands.of(distance), edges);
      add(kOpenVertices + bands.of(distance), 1.0);
    } else if (edges != 0) {
      add(kUnreached, 1.0);
      add(kUnreachedEdges, edges);
    }
  }
};

/// Selects vertices of [first, last) whose lists a search must open or read on.
template <class Weight, class Distance>
struct IsOpen {
  PushPrefixes<Weight, Distance> push;
  std::uint64_t first;
  std::uint64_t last;
  GR_HD bool operator()(VertexId v) const {
    if (v < first || v >= last) return false;
    const PrefixState<Weight, Distance>& state = push.states[v];
    return push.relax.distances[v] != unreached<Distance>() && state.steps != kFinished;
  }
};

}  // namespace graphrun::sssp::inline GR_IDS
