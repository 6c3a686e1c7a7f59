// SPDX-License-Identifier: Apache-2.0
// Addition and order of weights of each kind.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/raise.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/graph/graph.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Whole weights: key() grows with the distance, as the bits of non-negative floats do.
class WholeWeights {
 public:
  using Distance = std::uint64_t;
  static constexpr Distance kUnreached = kUnreachedDistance;
  static constexpr Distance kLargest = kUnreached - 1;
  explicit WholeWeights(const Graph& graph)
      : table_(graph.weight_kind == WeightKind::u64 ? graph.weight_table.data() : nullptr) {}
  Distance weight(std::uint32_t word) const { return table_ == nullptr ? word : table_[word]; }
  static bool allowed(Distance) { return true; }
  static Distance sum(Distance a, Distance b) { return b < kLargest - a ? a + b : kLargest; }
  static std::uint64_t key(Distance distance) { return distance; }

 private:
  const std::uint64_t* table_;  ///< of u64
};

/// f32 weights, added in float, double or long double.
template <class Sum>
struct FloatWeights {
  using Distance = Sum;
  static constexpr Distance kUnreached = std::numeric_limits<Sum>::infinity();
  static constexpr Distance kLargest = std::numeric_limits<Sum>::max();
  explicit FloatWeights(const Graph&) {}
  static Distance weight(std::uint32_t word) { return std::bit_cast<float>(word); }
  /// Returns whether a weight is neither negative nor NaN nor infinite.
  static bool allowed(Distance weight) { return weight >= 0 && weight <= std::numeric_limits<float>::max(); }
  static Distance sum(Distance a, Distance b) { return std::min(a + b, kLargest); }  // reached vertices do not become unreached
  /// Returns the key of a distance; equal for sums in long double that a double does not tell apart.
  static std::uint64_t key(Distance distance) { return std::bit_cast<std::uint64_t>(static_cast<double>(distance)); }
};

template <class Distance>
std::string distance_name(Distance distance) {
  if constexpr (std::is_floating_point_v<Distance>) {
    // max_digits10 digits tell any two floats apart.
    return distance == std::numeric_limits<Distance>::infinity()
               ? "unreached"
               : fmt::format("distance {:.{}g}", distance, std::numeric_limits<Distance>::max_digits10);
  } else {
    return distance == kUnreachedDistance ? "unreached" : fmt::format("distance {}", distance);
  }
}

/// Throws UsageError unless there is a weight for each edge.
inline void require_weights(const Graph& graph) {
  const EdgeId num_weights = graph.weight_kind == WeightKind::none ? 0 : graph.out.weights.size();
  if (num_weights == graph.num_edges()) return;
  raise<UsageError>("shortest paths need a weight for each of the {} edges, and there are {}", graph.num_edges(), num_weights);
}

[[noreturn]] inline void refuse_weight(const Graph& graph, VertexId u, EdgeId e) {
  raise<UsageError>("the arc from {} to {} has weight {}, for which Dijkstra's algorithm is not valid", graph.names.text(u),
                    graph.names.text(graph.out.neighbours[e]), graph.weight_text(graph.out.weights[e]));
}

/// Returns the verdict on distances of another type than sums of the graph's weights.
inline Verdict wrong_type(const Distances& distances, WeightKind weights) {
  constexpr const char* kNames[] = {"whole", "f64", "f32"};
  return wrong("distances are {}, but weights are {}", kNames[distances.index()], name_of(weights));
}

}  // namespace graphrun::verify::inline GR_IDS
