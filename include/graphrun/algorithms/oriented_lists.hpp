// SPDX-License-Identifier: Apache-2.0
// Edges oriented by ranks of vertices: the lists in which algorithms look for triangles.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/lists.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::oriented::inline GR_IDS {

struct Degrees {
  const EdgeId* out;
  const EdgeId* in;  ///< null: the graph is symmetric
  GR_HD EdgeId operator()(std::size_t v) const { return out[v + 1] - out[v] + (in == nullptr ? 0 : in[v + 1] - in[v]); }
};

/// The entry of a neighbour of rank q: a bit of the direction is below it in directed graphs.
struct Entries {
  const VertexId* ranks;  ///< null: the ids
  unsigned shift;         ///< 1 in directed graphs, else 0
  VertexId direction;     ///< 1 while in-edges are read

  GR_HD VertexId rank(VertexId v) const { return ranks == nullptr ? v : ranks[v]; }
  GR_HD VertexId of(VertexId q) const { return q << shift | direction; }
};

}  // namespace graphrun::oriented::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// The ascending list of each vertex's neighbours of smaller rank, without the vertex itself, each neighbour once. Directed
/// graphs are read along out-edges and in-edges; an entry is then twice the rank of the neighbour, plus 1 where arcs join both in
/// both directions. Two passes over the view make the lists: one counts edges, one fills them, a part of the ranks at a time
/// where the buffer cannot hold all. It then holds two parts: k parts take k (k + 1) / 2 passes, each over the edges of one part
/// (Hu, Tao and Chung, SIGMOD 2013, scan the whole graph once a part). Takes 16 bytes a vertex and the buffer; 8 more once
/// entries are counted, and 4 more for ranks by degree.
template <class Exec, class View>
class OrientedLists {
 public:
  OrientedLists(Exec& exec, const GraphView<View>& graph);

  /// Returns whether a neighbour has, on average, more than twice a vertex's degree.
  bool is_skewed();
  bool degrees_descend();
  /// Ranks vertices by degree, hubs first, or by id.
  void rank_by(bool degree);
  /// The rank of each vertex; null where it is the id.
  const VertexId* ranks() const { return ranks_.data(); }
  unsigned shift() const { return graph_.symmetric ? 0u : 1u; }
  Lists all() { return {places_.data(), nullptr, 0, graph_.num_vertices()}; }

  /// Calls visit(mine, theirs) for each pair of parts, `mine` of larger or the same ranks; each of several ranks of a run has a
  /// share of `mine`. Before, calls made(part), once a part, with all of its lists. `buffer_bytes`: most bytes of lists at a
  /// time; 0: all. Returns the number of parts. Throws UsageError when the buffer has no room for the list of some vertex.
  template <class Made, class Visit>
  std::uint64_t for_each_pair(std::uint64_t buffer_bytes, AlgoStats& stats, const Made& made, const Visit& visit);

 private:
  /// Ranks [first, last).
  struct Part {
    VertexId first;
    VertexId last;
  };

  oriented::Degrees degrees() const { return {graph_.out.offsets, graph_.symmetric ? nullptr : graph_.in.offsets}; }
  oriented::Entries entry_of(VertexId direction) const { return {ranks_.data(), shift(), direction}; }
  /// Reads all edges with of(0), and of a directed graph from their other ends with of(1).
  template <class Of>
  void read_edges(AlgoStats& stats, const Of& of);
  void count_entries(AlgoStats& stats);
  VertexId last_begun(EdgeId entries, const Part& part);
  std::vector<Part> divide(EdgeId entries);
  Lists make(const Part& part, VertexId* entries, AlgoStats& stats);
  Lists own_share(Lists lists);

  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  Array<VertexId> ranks_;    // empty where ranks are ids
  Array<EdgeId> starts_;     // starts of each rank's list in all lists; one more
  Array<ListPlace> places_;  // in the buffer
  Array<VertexId> entries_;  // the buffer
};

}  // namespace graphrun::inline GR_IDS
