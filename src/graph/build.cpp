// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/build.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/raise.hpp"
#include "graph/phase_time.hpp"
#include "graph/rows_from_arcs.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kEntryGrain = 1 << 16;

void check_entries(const EdgeList& edges, ThreadPool& pool) {
  const std::size_t m = edges.sources.size();
  if (edges.targets.size() != m) raise<DataError>("the edge list has {} sources but {} targets", m, edges.targets.size());
  const std::size_t weights = std::max(edges.weights.size(), edges.wide_weights.size());
  if (edges.weight_kind != WeightKind::none && weights != m)
    raise<DataError>("the edge list has {} entries but {} weights", m, weights);
  const VertexId n = edges.num_vertices;
  FirstIndex first_bad;
  parallel_chunks(pool, m, kEntryGrain, [&](std::size_t begin, std::size_t end, int) {
    VertexId largest = 0;
    for (std::size_t i = begin; i < end; ++i) largest = std::max({largest, edges.sources[i], edges.targets[i]});
    if (begin == end || largest < n) return;
    std::size_t bad = begin;
    while (edges.sources[bad] < n && edges.targets[bad] < n) ++bad;
    first_bad.report(bad);
  });
  if (const std::uint64_t bad = first_bad.get(); bad != kNoIndex) {
    raise<DataError>("entry {} of the edge list joins vertices {} and {}, but there are only {} vertices", bad,
                     edges.sources[bad], edges.targets[bad], n);
  }
}

/// Returns a hash that sums to 0 over arcs with opposites of the same weight, and hardly ever over others.
std::uint64_t imbalance_of(std::uint64_t u, std::uint64_t v, std::uint64_t weight) {
  const std::uint64_t of_edge = splitmix64(std::min(u, v), std::max(u, v), weight);
  return u == v ? 0 : u < v ? of_edge : 0 - of_edge;
}

/// The meaning of entries, and the order of lists. The table is for u64 weights.
struct Plan {
  Plan(Arcs arcs, WeightKind kind, const BuildOptions& options, Column<std::uint64_t> table)
      : symmetric(arcs != Arcs::directed || options.symmetrise),
        mirror(arcs == Arcs::mirror || (arcs == Arcs::directed && options.symmetrise)),
        request{kind, options.sort_lists || options.merge != MergeRule::keep ? ListOrder::by_target : ListOrder::as_streamed,
                options.merge, &sums},
        sums(std::move(table)) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Completes a graph whose rows were made as requested.
  void finish(Graph& graph, const Workspace& space, ThreadPool& pool) {
    graph.symmetric = symmetric;
    graph.weight_kind = request.kind;
    if (request.kind == WeightKind::u64) graph.weight_table = sums.finish(graph.out.weights, space, pool);
  }

  bool symmetric;
  bool mirror;
  RowsRequest request;
  WeightSums sums;
};

}  // namespace

void DirectionBalance::add(const EdgeList& batch, ThreadPool& pool) {
  const bool weighted = batch.weight_kind != WeightKind::none;
  const auto of_entry = [&](std::size_t i) {
    return imbalance_of(batch.sources[i], batch.targets[i], weighted ? batch.weight_bits(i) : 0);
  };
  imbalance_ += parallel_sum<std::uint64_t>(pool, batch.sources.size(), of_entry, kEntryGrain);
}

bool is_balanced(const Graph& graph, ThreadPool& pool, const Workspace& space) {
  if (!graph.symmetric || graph.weight_kind == WeightKind::none) return graph.symmetric;
  const PhaseTime time("comparing weights of both directions");
  require_lists(graph.out);
  const Csr& csr = graph.out;
  return sum_over_arcs(csr, pool, space,
                       [&](std::uint64_t v, EdgeId e) { return imbalance_of(v, csr.neighbours[e], csr.weights[e]); }) == 0;
}

Graph build_graph(EdgeList&& edges, const BuildOptions& options, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("building rows");
  check_entries(edges, pool);
  if (!edges.wide_weights.empty()) {
    EncodedWeights encoded = encode_weights(std::move(edges.wide_weights), pool);
    edges.weights = std::move(encoded.words);
    edges.weight_table = std::move(encoded.table);
  }
  Plan plan(edges.arcs, edges.weight_kind, options, edges.weight_table);
  Graph graph;
  const VertexId n = edges.num_vertices;
  if (edges.weight_kind == WeightKind::none) edges.weights = {};
  graph.out =
      rows_from_arcs(ListedArcs{std::exchange(edges, {}), plan.mirror, options.drop_self_loops}, n, plan.request, space, pool);
  plan.finish(graph, space, pool);
  return graph;
}

struct GraphBuilder::Rows {
  Rows(const EdgeList& first, const BuildOptions& options, const Workspace& space, ThreadPool& pool)
      : plan(first.arcs, first.weight_kind, options, first.weight_table) {
    const VertexId n = first.num_vertices;
    if (first.weight_kind == WeightKind::none) {
      plain.emplace(n, n, plan.request, space, pool);
    } else {
      weighted.emplace(n, n, plan.request, space, pool);
    }
  }

  Plan plan;
  std::optional<ExternalRows<PlainArc>> plain;  // one of the two
  std::optional<ExternalRows<WeightedArc>> weighted;
};

GraphBuilder::GraphBuilder(const BuildOptions& options, const Workspace& space, ThreadPool& pool)
    : options_(options), space_(space), pool_(pool) {}

GraphBuilder::~GraphBuilder() = default;

bool GraphBuilder::add(EdgeList&& batch) {
  if (!rows_) rows_ = std::make_unique<Rows>(batch, options_, space_, pool_);
  if (batch.weight_kind != rows_->plan.request.kind) return false;
  check_entries(batch, pool_);
  const ListedArcs arcs{std::move(batch), rows_->plan.mirror, options_.drop_self_loops};
  rows_->plain ? rows_->plain->add(arcs) : rows_->weighted->add(arcs);
  return true;
}

Graph GraphBuilder::finish() {
  if (!rows_) return build_graph({}, options_, pool_);
  Graph graph;
  graph.out = rows_->plain ? rows_->plain->finish() : rows_->weighted->finish();
  rows_->plan.finish(graph, space_, pool_);
  return graph;
}

Graph rebuild(Graph&& graph, const BuildOptions& options, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("rebuilding rows");
  Plan plan(graph.symmetric ? Arcs::mirrored : Arcs::directed, graph.weight_kind, options, graph.weight_table);
  Graph result;
  result.name = std::move(graph.name);
  result.names = std::move(graph.names);
  const VertexId n = graph.num_vertices();
  graph.in.reset();
  const Taken taken = plan.mirror ? Taken::both_ways : Taken::forwards;
  result.out =
      rows_from_arcs(StoredArcs{std::exchange(graph.out, {}), taken, options.drop_self_loops}, n, plan.request, space, pool);
  plan.finish(result, space, pool);
  return result;
}

Csr transpose(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("transposing");
  require_lists(csr);
  RowsRequest request{WeightKind::none, ListOrder::by_target};
  StoredArcs arcs{{csr.offsets, csr.neighbours, {}}, Taken::backwards};
  if (auto rows = rows_on_gpu(arcs, csr.num_vertices(), request, space, pool)) return std::move(*rows);
  request.order = ListOrder::as_streamed;  // sources come in ascending order, and the builder keeps it
  return rows_from_arcs(std::move(arcs), csr.num_vertices(), request, space, pool);
}

Csr transpose_with_weights(const Csr& csr, WeightKind kind, const Workspace& space, ThreadPool& pool) {
  const PhaseTime time("transposing with weights");
  const RowsRequest request{kind, ListOrder::by_target};
  return rows_from_arcs(StoredArcs{csr, Taken::backwards}, csr.num_vertices(), request, space, pool);
}

}  // namespace graphrun::inline GR_IDS
