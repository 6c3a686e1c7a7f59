// SPDX-License-Identifier: Apache-2.0
// Relaxation of edges, and buckets of distances.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/capabilities.hpp"

namespace graphrun::sssp::inline GR_IDS {

template <class Distance>
GR_HD constexpr Distance unreached() {
  if constexpr (std::is_floating_point_v<Distance>) return std::numeric_limits<Distance>::infinity();
  return std::numeric_limits<Distance>::max();
}

inline constexpr std::uint64_t kLastBucket = std::uint64_t{1} << 62;  // operators can add to it

/// Returns the bucket of `distance`, each `delta` wide. Distances past the last bucket, infinity and NaN are in the last.
template <class Distance>
GR_HD constexpr std::uint64_t bucket_of(Distance distance, Distance delta) {
  if constexpr (std::is_floating_point_v<Distance>) {
    const Distance quotient = distance / delta;
    return quotient < static_cast<Distance>(kLastBucket) ? static_cast<std::uint64_t>(quotient) : kLastBucket;
  } else {
    const std::uint64_t quotient = distance / delta;
    return sizeof(Distance) < sizeof(quotient) || quotient < kLastBucket ? quotient : kLastBucket;
  }
}

/// Returns the distance at which sums stop: an answer with it is rejected.
template <class Distance>
GR_HD constexpr Distance farthest() {
  return std::is_floating_point_v<Distance> ? std::numeric_limits<Distance>::max() : unreached<Distance>() - 1;
}

/// Returns the smaller of from + weight and farthest().
template <class Distance>
GR_HD constexpr Distance bounded_sum(Distance from, Distance weight) {
  const Distance sum = from + weight;
  if constexpr (std::is_floating_point_v<Distance>) return sum < farthest<Distance>() ? sum : farthest<Distance>();
  return sum < from || sum > farthest<Distance>() ? farthest<Distance>() : sum;
}

/// Decodes weight words for sums: 64-bit weights by Graph::weight_table, where it is not null.
template <class Weight, class Distance>
struct WeightDecoder {
  static constexpr bool kMayBeTable = std::is_same_v<Weight, std::uint32_t> && std::is_same_v<Distance, std::uint64_t>;
  const std::uint64_t* table = nullptr;

  GR_HD Distance operator()(Weight word) const {
    if constexpr (kMayBeTable) {
      if (table != nullptr) return table[word];
    }
    return static_cast<Distance>(word);
  }
  /// Returns bounded_sum() of `from` and the weight; a plain sum where 32-bit weights cannot overflow 64 bits.
  GR_HD Distance add_to(Distance from, Weight word) const {
    if constexpr (kMayBeTable) {
      if (table == nullptr) return from + word;
    }
    return bounded_sum(from, (*this)(word));
  }
};

template <class WeightType, class Distance>
struct Relax {
  using Weight = WeightType;
  using Can = Capabilities<can::Correct, can::Share>;
  Distance* distances;
  std::uint32_t* overflow;
  Distance delta;
  WeightDecoder<Weight, Distance> decode = {};
  BitmapRef lowered = {};  ///< vertices whose distance fell, for other ranks; null for a single rank

  GR_HD std::uint64_t bucket(VertexId v) const { return bucket_of(atomics::load(distances[v]), delta); }
  GR_HD bool settled(VertexId v, std::uint64_t current) const { return bucket(v) < current; }
  GR_HD Distance source(VertexId u) const { return state(u); }

  GR_HD bool operator()(Distance from, VertexId v, Weight w) const { return (*this)(from, v, w, state(v)); }
  /// Does the same where state(v) was `seen` a while ago.
  GR_HD bool operator()(Distance from, VertexId v, Weight w, Distance seen) const {
    if constexpr (std::is_same_v<Distance, std::uint32_t>) {
      const Distance candidate = from + static_cast<Distance>(w);
      if (candidate < from || candidate == unreached<Distance>()) {
        // Longer than any distance that fits, so it only matters where nothing shorter is known.
        if (seen == unreached<Distance>() && state(v) == seen) atomics::store(*overflow, 1u);
        return false;
      }
      return take(v, candidate, seen);
    } else {
      return take(v, decode.add_to(from, w), seen);
    }
  }
  GR_HD Distance state(VertexId v) const { return atomics::load(distances[v]); }
  GR_HD bool take(VertexId v, Distance candidate) const { return take(v, candidate, state(v)); }

 private:
  GR_HD bool take(VertexId v, Distance candidate, Distance seen) const {
    const bool falls = candidate < seen && candidate < atomics::fetch_min(distances[v], candidate);
    if (falls && lowered.words != nullptr) lowered.set(v);
    return falls;
  }
};

template <class Distance>
struct IsReached {
  const Distance* distances;
  GR_HD bool operator()(VertexId v) const { return distances[v] != unreached<Distance>(); }
};

}  // namespace graphrun::sssp::inline GR_IDS
