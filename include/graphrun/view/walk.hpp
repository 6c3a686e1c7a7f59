// SPDX-License-Identifier: Apache-2.0
// Host scans over views, by runs of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {

/// The weight type of algorithms without weights.
struct NoWeight {};

template <class Weight>
inline constexpr bool is_weighted = sizeof(Weight) == sizeof(std::uint32_t);

/// Whether the view's edges come in pages that host threads may have to request.
template <class View>
inline constexpr bool is_paged = requires(const View& view) {
  view.pages_ahead();
};

/// Returns whether requesting pages ahead pays: false where a load reaches them.
template <class View>
bool asks_ahead([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>)
    return view.pages_ahead() != 0;
  else
    return false;
}

/// Returns whether scans should follow storage order, to use a page fully while it is there: where pages are evicted or requested
/// ahead.
template <class View>
bool wants_order([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>)
    return asks_ahead(view) || !view.all_pages_fit();
  else
    return false;
}

/// Calls PagedView::look(), for steps that do not ask for an array.
template <class View>
void look_between_steps([[maybe_unused]] const View& view) {
  if constexpr (is_paged<View>) view.look();
}

/// Begins a pass in storage order, over all lists or some. Returns whether it goes from the end of the view. See HostPager.
template <class View>
bool begin_pass([[maybe_unused]] const View& view, [[maybe_unused]] bool of_all_lists) {
  if constexpr (is_paged<View>)
    return view.begin_pass(of_all_lists);
  else
    return false;
}

/// Views whose edges are scanned in place; others make subgraphs first (SubwayView).
template <class View>
concept WalkableView = !requires {
  typename View::Subgraphs;
};

/// Calls visit(neighbour, weight) for each edge of an item until it returns false. `reader` is a View::Reader.
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
