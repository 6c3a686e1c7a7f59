// How an edge lowers a distance, and which bucket a distance is of.
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

/// Of width `delta`. Distances that no integer counts, infinite ones and no numbers wait in one last bucket.
template <class Distance>
GR_HD constexpr std::uint64_t bucket_of(Distance distance, Distance delta) {
  if constexpr (std::is_floating_point_v<Distance>) {
    const Distance quotient = distance / delta;
    return quotient < Distance{0x1p62f} ? static_cast<std::uint64_t>(quotient) : std::uint64_t{1} << 62;
  } else {
    return distance / delta;
  }
}

template <class WeightType, class Distance>
struct Relax {
  using Weight = WeightType;
  using Can = Capabilities<can::Share>;
  static constexpr Distance kLargestDistance = std::numeric_limits<Distance>::max();
  Distance* distances;
  std::uint32_t* overflow;
  Distance delta;
  BitmapRef lowered = {};  ///< vertices whose distance fell, for other ranks; null where none ask

  GR_HD std::uint64_t bucket(VertexId v) const { return bucket_of(atomics::load(distances[v]), delta); }
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
    return take(v, candidate);
  }
  GR_HD Distance state(VertexId v) const { return distances[v]; }
  GR_HD bool take(VertexId v, Distance candidate) const {
    const bool falls = candidate < atomics::load(distances[v]) && candidate < atomics::fetch_min(distances[v], candidate);
    if (falls && lowered.words != nullptr) lowered.set(v);
    return falls;
  }
};

}  // namespace graphrun::sssp::inline GR_IDS
