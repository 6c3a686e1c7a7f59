// Host walks over views that publish runs of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {

/// The weight of an algorithm that uses none.
struct NoWeight {};

template <class Weight>
inline constexpr bool is_weighted = sizeof(Weight) == sizeof(std::uint32_t);

/// Do the view's edges come in pages that host threads may have to ask for, all of those that a pass will need?
template <class View>
inline constexpr bool is_paged = requires(const View& view) {
  view.pages_ahead();
};

/// Does it pay to ask for pages now? Not when a load reaches them.
template <class View>
bool asks_ahead([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>)
    return view.pages_ahead() != 0;
  else
    return false;
}

/// Are lists to be walked in the order in which they lie, so that all of a page is used while it is there? Where pages go again,
/// however near the store is, and where they are asked for ahead.
template <class View>
bool wants_order([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>)
    return asks_ahead(view) || !view.all_pages_fit();
  else
    return false;
}

/// For steps that do not ask for an array: see PagedView::look().
template <class View>
void look_between_steps([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>) view.look();
}

/// Is the pass over much of the view that begins now to go from its end? Asked once a pass: the next answer differs.
template <class View>
bool goes_backward([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>)
    return view.turn();
  else
    return false;
}

/// Views whose edges are walked where they are; from others subgraphs are made first, and then walked (SubwayView).
template <class View>
concept WalkableView = !requires {
  typename View::Subgraphs;
};

/// visit(neighbour, weight) for each edge of an item until it returns false. `reader` is a View::Reader.
template <class Weight, class Reader, class Visit>
void walk(Reader& reader, const WorkItem& item, Visit&& visit) {
  constexpr bool kWeighted = is_weighted<Weight>;
  reader.template for_each_run<kWeighted>(item, [visit](const VertexId* ids, const std::uint32_t* words, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Weight weight{};
      if constexpr (kWeighted) std::memcpy(&weight, &words[i], sizeof(weight));
      if (!visit(ids[i], weight)) return false;
    }
    return true;
  });
}

}  // namespace graphrun::inline GR_IDS
