#include "graphrun/graph/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>

#include "graph/arc_streams.hpp"
#include "graph/parallel_arcs.hpp"
#include "graph/rows_builder.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kEntryGrain = 1 << 16;

void check_entries(const EdgeList& edges, ThreadPool& pool) {
  const std::size_t m = edges.sources.size();
  if (edges.targets.size() != m) {
    throw DataError(fmt::format("the edge list has {} sources but {} targets", m, edges.targets.size()));
  }
  if (edges.weight_kind != WeightKind::none && edges.weights.size() != m) {
    throw DataError(fmt::format("the edge list has {} entries but {} weights", m, edges.weights.size()));
  }
  const VertexId n = edges.num_vertices;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> first_bad{kNone};
  parallel_chunks(pool, m, kEntryGrain, [&](std::size_t begin, std::size_t end, int) {
    VertexId largest = 0;
    for (std::size_t i = begin; i < end; ++i) largest = std::max({largest, edges.sources[i], edges.targets[i]});
    if (begin == end || largest < n) return;
    std::size_t bad = begin;
    while (edges.sources[bad] < n && edges.targets[bad] < n) ++bad;
    std::size_t seen = first_bad.load(std::memory_order_relaxed);
    while (bad < seen && !first_bad.compare_exchange_weak(seen, bad, std::memory_order_relaxed)) {
    }
  });
  if (const std::size_t bad = first_bad.load(); bad != kNone) {
    throw DataError(fmt::format("entry {} of the edge list joins vertices {} and {}, but there are only {} vertices", bad,
                                edges.sources[bad], edges.targets[bad], n));
  }
}

template <class Stream>
Csr build_rows(Stream&& stream, VertexId num_vertices, WeightKind kind, ListOrder order, ThreadPool& pool) {
  if (kind == WeightKind::none) return RowsBuilder<PlainArc>(num_vertices, order, pool).build(std::move(stream));
  Csr csr = RowsBuilder<WeightedArc>(num_vertices, order, pool).build(std::move(stream));
  if (order == ListOrder::by_target) sort_parallel_arcs(csr, kind, pool);
  return csr;
}

}  // namespace

Graph build_graph(EdgeList&& edges, const BuildOptions& options, ThreadPool& pool) {
  check_entries(edges, pool);
  Graph graph;
  graph.weight_kind = edges.weight_kind;
  graph.symmetric = edges.arcs != Arcs::directed || options.symmetrise;
  const bool mirror = edges.arcs == Arcs::mirror || (edges.arcs == Arcs::directed && options.symmetrise);
  const VertexId n = edges.num_vertices;
  const ListOrder order = options.sort_lists || options.drop_duplicates ? ListOrder::by_target : ListOrder::as_streamed;
  if (edges.weight_kind == WeightKind::none) edges.weights = {};
  graph.out =
      build_rows(ListedArcs{std::exchange(edges, {}), mirror, options.drop_self_loops}, n, graph.weight_kind, order, pool);
  if (options.drop_duplicates) drop_parallel_arcs(graph.out, pool);
  return graph;
}

Csr transpose(const Csr& csr, ThreadPool& pool) {
  // Sources come in ascending order, and the builder keeps it.
  Csr arcs{csr.offsets, csr.neighbours, {}};
  return build_rows(StoredArcs{std::move(arcs), false}, csr.num_vertices(), WeightKind::none, ListOrder::as_streamed, pool);
}

Graph symmetrise(Graph&& graph, ThreadPool& pool) {
  if (graph.symmetric) return std::move(graph);
  Graph result;
  result.name = std::move(graph.name);
  result.weight_kind = graph.weight_kind;
  result.symmetric = true;
  const VertexId n = graph.num_vertices();
  graph.in.reset();
  result.out = build_rows(StoredArcs{std::exchange(graph.out, {}), true}, n, result.weight_kind, ListOrder::by_target, pool);
  return result;
}

}  // namespace graphrun
