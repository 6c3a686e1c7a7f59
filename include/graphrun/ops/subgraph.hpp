// SPDX-License-Identifier: Apache-2.0
// Subgraphs: some pieces of neighbour lists, gathered one after another.
//
// An operator plans pieces in rows: the vertex of each, where its edges lie in the graph, and where they come to lie when all
// rows follow each other (a prefix sum of their lengths). Subgraphs are stretches of that plan, as many rows at a time as there
// is room for; the pieces of a cut list may be in several.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Planned rows in host memory, to gather by.
struct PlannedRows {
  const EdgeId* sources = nullptr;  ///< count: where the edges of each row begin in the graph
  const EdgeId* places = nullptr;   ///< count + 1: where they begin in the plan
  std::uint64_t count = 0;

  EdgeId edges() const { return count == 0 ? 0 : places[count]; }
  /// Returns the end of the most rows from `first` on with at most `room` edges in sum; at least first + 1.
  std::uint64_t rows_within(std::uint64_t first, EdgeId room) const {
    const EdgeId* end = std::upper_bound(places + first + 1, places + count + 1, places[first] + room);
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(end - places) - 1, first + 1);
  }
};

/// Rows of one subgraph, in the executor's memory.
struct SubgraphRows {
  const VertexId* vertices = nullptr;
  const EdgeId* sources = nullptr;
  const EdgeId* places = nullptr;  ///< count + 1
  EdgeId first_place = 0;          ///< of the subgraph's edge 0
  std::uint64_t count = 0;

  /// Returns row i, as edges of the subgraph.
  GR_HD WorkItem item(std::uint64_t i) const { return {vertices[i], places[i] - first_place, places[i + 1] - first_place}; }
  /// Returns whether row i is the first piece of its list.
  GR_HD bool begins_list(const Rows& rows, std::uint64_t i) const { return sources[i] == rows.offsets[vertices[i]]; }
  /// Returns whether the whole list that begins with row i is here. Pieces of a list follow each other.
  GR_HD bool holds_list(const Rows& rows, std::uint64_t i) const { return i + rows.pieces(rows.degree(vertices[i])) <= count; }
};

struct Subgraph {
  SubgraphRows rows;
  DirectView edges;
  EdgeId num_edges = 0;
};

/// The vertices to process (again), one bit each. Without `loaded`, marked vertices wait for the next frontier. With it, marked
/// vertices whose whole lists are in the subgraph are processed before the next subgraph is made.
struct Marks {
  std::uint32_t* next = nullptr;
  std::uint32_t* loaded = nullptr;
  std::uint32_t* active = nullptr;  ///< of this round over the subgraph
  std::uint32_t* again = nullptr;   ///< of the next one

  GR_HD static bool set(std::uint32_t* words, VertexId v) { return BitmapRef{words}.set(v); }
  GR_HD static void clear(std::uint32_t* words, VertexId v) { atomics::fetch_and(words[v / 32], ~(1u << (v % 32))); }

  /// Returns whether v is processed again in this subgraph when it is marked.
  GR_HD bool is_loaded(VertexId v) const { return loaded != nullptr && BitmapRef{loaded}.test(v); }
  /// Marks v; returns is_loaded(v).
  GR_HD bool mark(VertexId v) const {
    const bool again_here = is_loaded(v);
    set(again_here ? again : next, v);
    return again_here;
  }
};

/// Counts of the rounds over a subgraph since the last take_counts().
struct RoundCounts {
  std::uint64_t examined = 0;
  bool again = false;  ///< a vertex was marked that is in `loaded`
};

}  // namespace graphrun::inline GR_IDS

namespace graphrun::subway::inline GR_IDS {

// Trims: the part of a piece that a pass needs; left out where none.

GR_HD inline WorkItem left_out(VertexId v) { return {v, 1, 0}; }
GR_HD inline bool is_left_out(const WorkItem& item) { return item.end < item.begin; }

struct Everything {
  GR_HD WorkItem operator()(const WorkItem& item) const { return item; }
};

/// Whole lists for a reduction, empty ones too.
template <class F>
struct WantedSums {
  F f;
  GR_HD WorkItem operator()(const WorkItem& item) const { return wants_sum(f, item.vertex) ? item : left_out(item.vertex); }
};

struct Members {
  BitmapRef frontier;
  GR_HD WorkItem operator()(const WorkItem& item) const { return frontier.test(item.vertex) ? item : left_out(item.vertex); }
};

/// Lists that f wants, from position `skip` on.
template <class F>
struct Wanted {
  F f;
  Rows rows;
  EdgeId skip;
  GR_HD WorkItem operator()(const WorkItem& item) const {
    const EdgeId from = rows.offsets[item.vertex] + skip;
    const EdgeId begin = item.begin < from ? from : item.begin;
    return begin < item.end && f.wants(item.vertex) ? WorkItem{item.vertex, begin, item.end} : left_out(item.vertex);
  }
};

struct Leading {
  Rows rows;
  EdgeId count;
  GR_HD WorkItem operator()(const WorkItem& item) const {
    const EdgeId to = rows.offsets[item.vertex] + count;
    const EdgeId end = item.end < to ? item.end : to;
    return item.begin < end ? WorkItem{item.vertex, item.begin, end} : left_out(item.vertex);
  }
};

// Functors of other operators in the form of a push.

/// A pass over lists: f(v, u).
template <class F>
struct AsPush {
  using Weight = NoWeight;
  F f;
  GR_HD VertexId source(VertexId v) const { return v; }
  GR_HD bool operator()(VertexId v, VertexId u, NoWeight) const {
    f(v, u);
    return false;
  }
};

/// A pull: v joins when one of its neighbours is accepted. Several threads may look at pieces of v's list; the thread that sets
/// v's bit visits v.
template <class F>
struct AsPull {
  F f;
  std::uint32_t* joined;
  GR_HD void operator()(VertexId v, VertexId u) const {
    if ((atomics::load(joined[v / 32]) >> (v % 32) & 1u) == 0 && f.accepts(u) && Marks::set(joined, v)) f.visit(v, u);
  }
};

/// A vertex that takes bits from one neighbour after another.
template <class F>
struct AsBitByBit {
  using Can = Capabilities<can::Want, can::ExchangeLater>;  // edge_gather_bits() shares the changes of F
  F f;
  GR_HD bool wants(VertexId v) const { return f.lacking(v) != 0; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const auto come = f.bits(u) & f.lacking(v);
    if (come != 0) f.take(v, come);
  }
};

}  // namespace graphrun::subway::inline GR_IDS
