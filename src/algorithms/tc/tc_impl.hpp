// SPDX-License-Identifier: Apache-2.0
// Triangle counting, both executors. A triangle is an entry q of the list of r, and a common entry of both lists
// (oriented_lists.hpp): each is found once, at its vertex of largest rank. Where all edges are in the fast tier and lists ascend,
// their prefixes are the lists.
#pragma once

#include "algorithms/tc/oriented_lists_impl.hpp"
#include "graphrun/algorithms/tc.hpp"

namespace graphrun::tc::inline GR_IDS {

/// Finds the neighbours below v in the ascending list of v; returns 1 where it does not ascend.
struct FindLists {
  const EdgeId* offsets;
  Lists lists;
  GR_HD std::uint64_t operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId begin = offsets[i];
    EdgeId below = 0;
    bool ascends = true;
    for (EdgeId e = begin; e < offsets[i + 1]; ++e) {
      below += lists.entries[e] < v;
      ascends &= e == begin || lists.entries[e - 1] < lists.entries[e];
    }
    lists.places[v] = {begin, begin + below};
    return !ascends;
  }
};

/// Counts at v without lists, by merging v's list with the lists of its smaller neighbours. For graphs with short lists. The second
/// sum is 1 where v's list does not ascend; then the first is invalid.
struct CountShort {
  const EdgeId* offsets;
  const VertexId* entries;

  GR_HD Sums<2> operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId begin = offsets[i];
    EdgeId end = begin;
    bool ascends = true;
    for (EdgeId e = begin; e < offsets[i + 1]; ++e) {
      end += entries[e] < v;
      ascends &= e == begin || entries[e - 1] < entries[e];
    }
    Sums<2> sums;
    if (!ascends) sums.of[1] = 1;
    for (EdgeId e = begin + 1; ascends && e < end; ++e) sums.of[0] += static_cast<double>(common(begin, e));
    return sums;
  }

 private:
  static constexpr EdgeId kShort = 32;

  /// Returns the number of common entries of [first, at) and the list of entry `at`.
  GR_HD EdgeId common(EdgeId first, EdgeId at) const {
    const VertexId q = entries[at];
    const bool searches = at - first > kShort;
    EdgeId count = 0;
    for (EdgeId e = offsets[q]; e < offsets[q + 1] && entries[e] < q; ++e) {
      if (searches) {
        for (EdgeId size = at - first; size > 0;) {
          const EdgeId half = size / 2;
          const bool below = entries[first + half] < entries[e];
          first = below ? first + half + 1 : first;
          size = below ? size - half - 1 : half;
        }
      } else {
        while (first < at && entries[first] < entries[e]) ++first;
      }
      if (first == at) break;
      count += entries[first] == entries[e];
    }
    return count;
  }
};

}  // namespace graphrun::tc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
TcRun<Exec, View>::TcRun(Exec& exec, const GraphView<View>& graph, const TcOptions& options)
    : exec_(exec), graph_(undirected(graph)), options_(options), lists_(exec, graph) {
  load_kernels<TcRun>(exec_);
}

template <class Exec, class View>
const GraphView<View>& TcRun<Exec, View>::undirected(const GraphView<View>& graph) {
  if (!graph.symmetric) throw UsageError("tc counts triangles of undirected graphs, and this one is directed");
  return graph;
}

template <class Exec, class View>
bool TcRun<Exec, View>::count_in_place(AlgoStats& stats) {
  if constexpr (std::is_same_v<View, DirectView>) {
    if (!array_now<false>(exec_, graph_.out_edges)) return false;
    const VertexId n = graph_.num_vertices();
    constexpr EdgeId kFewEdges = 8;  // a vertex
    if (graph_.num_edges / kFewEdges < n) {
      const auto sums = vertex_sum<Sums<2>>(exec_, n, tc::CountShort{graph_.out.offsets, graph_.out_edges.neighbours});
      if (sums.of[1] != 0) return false;
      stats.edges_examined += graph_.num_edges;
      found_.triangles = static_cast<std::uint64_t>(sums.of[0]);
      return true;
    }
    // Nothing writes to sorted lists.
    Lists lists = lists_.all();
    lists.entries = const_cast<VertexId*>(graph_.out_edges.neighbours);
    if (vertex_sum<std::uint64_t>(exec_, n, tc::FindLists{graph_.out.offsets, lists}) != 0) return false;
    stats.edges_examined += graph_.num_edges;
    found_.triangles = list_intersections(exec_, lists, lists);
    return true;
  }
  return false;
}

template <class Exec, class View>
AlgoStats TcRun<Exec, View>::run() {
  AlgoStats stats;
  found_ = {};
  if (graph_.num_edges == 0) return stats;
  found_.by_degree = options_.variant == TcVariant::by_degree || (options_.variant == TcVariant::hybrid && lists_.is_skewed());
  const bool ids_are_ranks = !found_.by_degree || lists_.degrees_descend();
  if (ids_are_ranks && options_.in_place && count_in_place(stats)) return stats;
  lists_.rank_by(!ids_are_ranks);
  found_.parts = lists_.for_each_pair(
      options_.buffer_bytes, stats, [](const Lists&) {},
      [&](const Lists& mine, const Lists& theirs) { found_.triangles += list_intersections(exec_, mine, theirs); });
  found_.triangles = sum_of_ranks(exec_, found_.triangles);
  exec_.synchronize();
  return stats;
}

}  // namespace graphrun::inline GR_IDS
