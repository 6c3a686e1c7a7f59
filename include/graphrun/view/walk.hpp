// Host walks over views that hand out runs of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphrun/core/types.hpp"

namespace graphrun {

/// The weight of an algorithm that uses none.
struct NoWeight {};

template <class Weight>
inline constexpr bool is_weighted = sizeof(Weight) == sizeof(std::uint32_t);

/// Do the view's edges come in pages that must be asked for, all of those that a pass will need?
template <class View>
inline constexpr bool is_paged = View::kSweepsLookAhead;

/// Views whose edges are walked where they are; from others subgraphs are made first, and then walked (SubwayView).
template <class View>
concept WalkableView = !requires {
  typename View::Subgraphs;
};

/// visit(neighbour, weight) for each edge of [begin, end) until it returns false.
template <class Weight, class View, class Visit>
void walk(const View& view, EdgeId begin, EdgeId end, Visit&& visit) {
  constexpr bool kWeighted = is_weighted<Weight>;
  view.template for_each_run<kWeighted>(begin, end, [&](const VertexId* ids, const std::uint32_t* words, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Weight weight{};
      if constexpr (kWeighted) std::memcpy(&weight, &words[i], sizeof(weight));
      if (!visit(ids[i], weight)) return false;
    }
    return true;
  });
}

}  // namespace graphrun
