// SPDX-License-Identifier: Apache-2.0
// Weights of edges as words of any kind, for algorithms that take them all.
#pragma once

#include <cstdint>
#include <cstring>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/ops/capabilities.hpp"

namespace graphrun::inline GR_IDS {

/// Decodes words of weights.
struct WordWeight {
  WeightKind kind;
  const std::uint64_t* table;  ///< Graph::weight_table
  GR_HD double operator()(std::uint32_t word) const {
    if (kind == WeightKind::f32) {
      float weight;
      memcpy(&weight, &word, sizeof(weight));
      return static_cast<double>(weight);
    }
    return kind == WeightKind::u64 ? static_cast<double>(table[word]) : static_cast<double>(word);
  }
};

/// Adds an edge's weight to the sum of its source.
struct SumWeights {
  using Weight = std::uint32_t;
  using Can = Capabilities<can::ExchangeLater>;
  double* sums;
  WordWeight weight_of;
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId, std::uint32_t word) const {
    atomics::fetch_add(sums[u], weight_of(word));
    return false;
  }
};

/// Returns a hash of an arc and its weight. The hashes of an undirected graph add up to 0 when both arcs of all edges weigh the
/// same.
GR_HD inline VertexId balance_of(VertexId u, VertexId v, std::uint64_t weight) {
  if (u == v) return 0;
  const std::uint64_t low = u < v ? u : v;
  const std::uint64_t high = u < v ? v : u;
  const auto hash = static_cast<VertexId>(splitmix64(low * 0x9e3779b97f4a7c15ull ^ high << 32 ^ weight));
  return u < v ? hash : 0 - hash;
}

}  // namespace graphrun::inline GR_IDS
