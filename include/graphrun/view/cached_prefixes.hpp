// SPDX-License-Identifier: Apache-2.0
// Cached prefixes: leading edges of lists that stay in the fast tier while pages are evicted.
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// The leading edges of every list. Trivially copyable; the memory is a backend's (backend/prefix_cache.hpp, on a GPU
/// backend/cuda/device_prefix_cache.hpp). Of the list [begin, end) of v, edges [begin, end_of(v, begin, end)) are at of(v).
/// Without prefixes end_of() is `begin`.
struct CachedPrefixes {
  const VertexId* words = nullptr;
  const std::uint32_t* starts = nullptr;   ///< offsets by vertex, in edges; null: each list has `lead` slots
  std::uint64_t* answered = nullptr;       ///< bytes that host scans read here
  std::uint32_t words_an_edge = 1;         ///< 2: records
  EdgeId unit = 1;                         ///< a prefix ends with its list, or at a multiple of this power of two in the column
  EdgeId lead = 0;                         ///< most edges of a prefix
  const std::uint32_t* weights = nullptr;  ///< of the edges in `words`, in the same order; null: not cached

  EdgeId end_of(VertexId v, EdgeId begin, EdgeId end) const {
    return starts != nullptr ? begin + (starts[v + 1] - starts[v]) : end_of(begin, end);  // other ranks' lists have none
  }
  GR_HD EdgeId end_of(EdgeId begin, EdgeId end) const {
    const EdgeId limit = begin + lead;
    const EdgeId whole = limit & ~(unit - 1);
    return limit >= end ? end : whole > begin ? whole : begin;
  }
  GR_HD std::uint64_t start(VertexId v) const { return starts == nullptr ? v * lead : starts[v]; }
  const VertexId* of(VertexId v) const { return words + start(v) * words_an_edge; }
  void prefetch(VertexId v) const {
    if (lead != 0) graphrun::prefetch(of(v));
  }
  void prefetch_start(VertexId v) const {
    if (starts != nullptr) graphrun::prefetch(&starts[v]);
  }
};

inline constexpr EdgeId kLongestPrefix = (1 << 16) - 1;
/// Share of a page cache on a CPU: where cached prefixes serve most reads, pages are rarely reused.
inline constexpr double kPrefixShare = 0.9;

/// Finds the longest lead at which cached prefixes hold at most `most` edges; edges_in(prefixes) counts them.
template <class EdgesIn>
EdgeId longest_lead(CachedPrefixes prefixes, std::uint64_t most, const EdgesIn& edges_in) {
  EdgeId fits = 0;
  EdgeId too_long = kLongestPrefix + 1;
  while (too_long - fits > 1) {
    prefixes.lead = fits + (too_long - fits) / 2;
    (edges_in(prefixes) <= most ? fits : too_long) = prefixes.lead;
  }
  return fits;
}

/// Returns a view's cached prefixes; empty where it has none.
template <class View>
CachedPrefixes cached_prefixes_of([[maybe_unused]] const View& view) {
  if constexpr (requires { view.prefixes; })
    return view.prefixes;
  else
    return {};
}

}  // namespace graphrun::inline GR_IDS
