// SPDX-License-Identifier: Apache-2.0
// Orders of lists and of vertices that put hubs first.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/gpu_rows.hpp"
#include "graph/phase_time.hpp"
#include "graph/rows_from_arcs.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_scores.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kListsAPiece = 256;

Column<EdgeId> degrees_of(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  auto degrees = Column<EdgeId>::allocate(csr.num_vertices());
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_for(pool, last - first, [&](std::size_t i) { degrees[first + i] = csr.degree(static_cast<VertexId>(first + i)); });
  });
  return degrees;
}

/// Returns the vertices by descending degree, smaller ids first on ties.
std::vector<VertexId> degree_order(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  if (auto order = degree_order_on_gpu(csr, space, pool)) return std::move(*order);
  const auto degrees = degrees_of(csr, pool, space);
  // Counts degrees: comparing them took most of the time of relabelling. Only hubs are compared.
  constexpr EdgeId kHub = 4096;
  const auto key = [&](std::size_t v) { return kHub - std::min(degrees[v], kHub); };
  std::vector<std::size_t> cursors(kHub + 1);
  for (std::size_t v = 0; v < degrees.size(); ++v) ++cursors[key(v)];
  const auto hubs = static_cast<std::ptrdiff_t>(cursors[0]);
  std::exclusive_scan(cursors.begin(), cursors.end(), cursors.begin(), std::size_t{0});
  std::vector<VertexId> order(degrees.size());
  for (std::size_t v = 0; v < degrees.size(); ++v) order[cursors[key(v)]++] = static_cast<VertexId>(v);
  std::stable_sort(order.begin(), order.begin() + hubs, [&](VertexId a, VertexId b) { return degrees[a] > degrees[b]; });
  return order;
}

/// Returns the place of each vertex in `order`.
Column<VertexId> places_in(const std::vector<VertexId>& order, ThreadPool& pool) {
  auto places = Column<VertexId>::allocate(order.size());
  parallel_for(pool, order.size(), [&](std::size_t place) { places[order[place]] = static_cast<VertexId>(place); });
  return places;
}

/// An entry of a list that is being sorted.
struct Neighbour {
  EdgeId degree;
  VertexId id;
  std::uint32_t weight;
};

/// Sorts by descending degree, then by id; stable, so parallel arcs stay sorted by weight.
void sort_list(Csr& csr, VertexId v, const EdgeId* degrees, std::vector<Neighbour>& list) {
  const EdgeId begin = csr.offsets[v];
  const EdgeId end = csr.offsets[v + 1];
  list.clear();
  for (EdgeId e = begin; e < end; ++e) {
    const VertexId u = csr.neighbours[e];
    list.push_back({degrees[u], u, csr.weights.empty() ? 0 : csr.weights[e]});
  }
  std::stable_sort(list.begin(), list.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.id < b.id;
  });
  for (EdgeId e = begin; e < end; ++e) {
    csr.neighbours[e] = list[e - begin].id;
    if (!csr.weights.empty()) csr.weights[e] = list[e - begin].weight;
  }
}

}  // namespace

void put_hubs_first(Graph& graph, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("putting hubs first");
  Csr& csr = graph.out;
  graph.hub_first = true;
  if (space.sorter() != nullptr && sort_lists_on_gpu(csr, places_in(degree_order(csr, pool, space), pool), space, pool)) return;
  // Windows into an input file may not be written to.
  if (csr.neighbours.in_mapped_file()) csr.neighbours = copy_column<VertexId>(csr.neighbours, space, pool);
  if (csr.weights.in_mapped_file()) csr.weights = copy_column<std::uint32_t>(csr.weights, space, pool);
  const auto degrees = degrees_of(csr, pool, space);
  PerThread<std::vector<Neighbour>> lists(pool);
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kListsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
      for (std::size_t i = begin; i < end; ++i) sort_list(csr, static_cast<VertexId>(first + i), degrees.data(), lists[rank]);
    });
  });
}

bool is_hub_first(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  if (space.sorter() != nullptr) {
    if (const auto sums = examine_on_gpu(csr, places_in(degree_order(csr, pool, space), pool), space, pool))
      return sums->descents == 0;
  }
  const auto degrees = degrees_of(csr, pool, space);
  std::atomic<bool> in_order{true};
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_for(pool, last - first, [&](std::size_t i) {
      const std::size_t v = first + i;
      for (EdgeId e = csr.offsets[v] + 1; e < csr.offsets[v + 1]; ++e) {
        const VertexId before = csr.neighbours[e - 1];
        const VertexId after = csr.neighbours[e];
        const bool right = degrees[before] != degrees[after] ? degrees[before] > degrees[after] : before <= after;
        if (!right) in_order.store(false, std::memory_order_relaxed);
      }
    });
  });
  return in_order.load();
}

Graph relabel(Graph&& graph, VertexOrder by, ThreadPool& pool, const Workspace& space) {
  if (by == VertexOrder::as_read) return std::move(graph);
  const PhaseTime time("relabelling");
  const VertexId n = graph.num_vertices();
  const std::vector<VertexId> order = by == VertexOrder::degree  // order[new] = old
                                          ? degree_order(graph.out, pool, space)
                                          : by_descending(walk_scores(graph.out, WalkStart::anywhere, {}, pool, space));
  auto new_ids = places_in(order, pool);
  Graph result;
  result.name = std::move(graph.name);
  result.names = graph.names.reordered(order, pool);
  result.weight_kind = graph.weight_kind;
  result.weight_table = std::move(graph.weight_table);
  result.symmetric = graph.symmetric;
  graph.in.reset();
  const RowsRequest request{graph.weight_kind, ListOrder::by_target};
  result.out = rows_from_arcs(StoredArcs{std::exchange(graph.out, {}), Taken::forwards, false, std::move(new_ids)}, n, request,
                              space, pool);
  return result;
}

}  // namespace graphrun::inline GR_IDS
