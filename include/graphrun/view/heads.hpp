// Beginnings of lists that are always near: what a view has in memory beside the pages that come and go.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// The leading edges of every list, packed together. Trivially copyable; the memory is a backend's (backend/list_heads.hpp).
/// Walks that know which list they are in look here first: the edges [begin, end_of(begin, end)) of the list [begin, end) of v
/// are those at of(v). Without any, end_of() is `begin`.
struct Heads {
  const VertexId* words = nullptr;
  const std::uint32_t* starts = nullptr;  ///< a vertex, in edges
  std::uint64_t* answered = nullptr;      ///< edges that walks read here; walks add to it when no other thread does
  std::uint32_t words_an_edge = 1;        ///< 2: records
  EdgeId unit = 1;                        ///< a head ends with its list, or at a multiple of this power of two in the column
  EdgeId lead = 0;                        ///< and has at most so many edges

  EdgeId end_of(EdgeId begin, EdgeId end) const {
    const EdgeId limit = begin + lead;
    return limit >= end ? end : std::max(begin, limit & ~(unit - 1));
  }
  const VertexId* of(VertexId v) const { return words + std::uint64_t{starts[v]} * words_an_edge; }
  void prefetch(VertexId v) const {
    if (lead != 0) __builtin_prefetch(of(v));
  }
  void prefetch_start(VertexId v) const {
    if (lead != 0) __builtin_prefetch(&starts[v]);
  }
};

/// Those of a view; none where it keeps none.
template <class View>
Heads heads_of([[maybe_unused]] const View& view) {
  if constexpr (requires { view.heads; })
    return view.heads;
  else
    return {};
}

}  // namespace graphrun::inline GR_IDS
