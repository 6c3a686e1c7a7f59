#include "graphrun/graph/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "graph/phase_time.hpp"
#include "graph/rows_from_arcs.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {
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
    throw DataError(fmt::format("entry {} of the edge list joins vertices {} and {}, but there are only {} vertices", bad,
                                edges.sources[bad], edges.targets[bad], n));
  }
}

/// What an entry stands for, and what its lists should be like.
struct Plan {
  Plan(Arcs arcs, WeightKind kind, const BuildOptions& options)
      : symmetric(arcs != Arcs::directed || options.symmetrise),
        mirror(arcs == Arcs::mirror || (arcs == Arcs::directed && options.symmetrise)),
        request{kind, options.sort_lists || options.drop_duplicates ? ListOrder::by_target : ListOrder::as_streamed,
                options.drop_duplicates} {}

  bool symmetric;
  bool mirror;
  RowsRequest request;
};

}  // namespace

Graph build_graph(EdgeList&& edges, const BuildOptions& options, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("building rows");
  check_entries(edges, pool);
  const Plan plan(edges.arcs, edges.weight_kind, options);
  Graph graph;
  graph.weight_kind = edges.weight_kind;
  graph.symmetric = plan.symmetric;
  const VertexId n = edges.num_vertices;
  if (edges.weight_kind == WeightKind::none) edges.weights = {};
  graph.out =
      rows_from_arcs(ListedArcs{std::exchange(edges, {}), plan.mirror, options.drop_self_loops}, n, plan.request, space, pool);
  return graph;
}

struct GraphBuilder::Rows {
  Rows(VertexId num_vertices, const RowsRequest& request, const Workspace& workspace, ThreadPool& pool) : space(workspace) {
    if (request.kind == WeightKind::none) {
      rows.emplace<ExternalRows<PlainArc>>(num_vertices, request, space, pool);
    } else {
      rows.emplace<ExternalRows<WeightedArc>>(num_vertices, request, space, pool);
    }
  }

  Workspace space;
  std::variant<std::monostate, ExternalRows<PlainArc>, ExternalRows<WeightedArc>> rows;
};

GraphBuilder::GraphBuilder(VertexId num_vertices, WeightKind kind, Arcs arcs, const BuildOptions& options, const Workspace& space,
                           ThreadPool& pool)
    : options_(options),
      arcs_(arcs),
      kind_(kind),
      pool_(pool),
      rows_(std::make_unique<Rows>(num_vertices, Plan(arcs, kind, options).request, space, pool)) {}

GraphBuilder::~GraphBuilder() = default;

void GraphBuilder::add(EdgeList&& batch) {
  check_entries(batch, pool_);
  const ListedArcs arcs{std::move(batch), Plan(arcs_, kind_, options_).mirror, options_.drop_self_loops};
  std::visit(
      [&](auto& rows) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(rows)>, std::monostate>) rows.add(arcs);
      },
      rows_->rows);
}

Graph GraphBuilder::finish() {
  Graph graph;
  graph.weight_kind = kind_;
  graph.symmetric = Plan(arcs_, kind_, options_).symmetric;
  std::visit(
      [&](auto& rows) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(rows)>, std::monostate>) graph.out = rows.finish();
      },
      rows_->rows);
  return graph;
}

Graph rebuild(Graph&& graph, const BuildOptions& options, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("rebuilding rows");
  const Plan plan(graph.symmetric ? Arcs::mirrored : Arcs::directed, graph.weight_kind, options);
  Graph result;
  result.name = std::move(graph.name);
  result.names = std::move(graph.names);
  result.weight_kind = graph.weight_kind;
  result.symmetric = plan.symmetric;
  const VertexId n = graph.num_vertices();
  graph.in.reset();
  const Taken taken = plan.mirror ? Taken::both_ways : Taken::forwards;
  result.out =
      rows_from_arcs(StoredArcs{std::exchange(graph.out, {}), taken, options.drop_self_loops}, n, plan.request, space, pool);
  return result;
}

Csr transpose(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("transposing");
  RowsRequest request{WeightKind::none, ListOrder::by_target, false};
  StoredArcs arcs{{csr.offsets, csr.neighbours, {}}, Taken::backwards};
  if (auto rows = rows_on_gpu(arcs, csr.num_vertices(), request, space, pool)) return std::move(*rows);
  request.order = ListOrder::as_streamed;  // sources come in ascending order, and the builder keeps it
  return rows_from_arcs(std::move(arcs), csr.num_vertices(), request, space, pool);
}

Csr transpose_with_weights(const Csr& csr, WeightKind kind, const Workspace& space, ThreadPool& pool) {
  const PhaseTime time("transposing with weights");
  const RowsRequest request{kind, ListOrder::by_target, false};
  return rows_from_arcs(StoredArcs{csr, Taken::backwards}, csr.num_vertices(), request, space, pool);
}

Graph symmetrise(Graph&& graph, ThreadPool& pool, const Workspace& space) {
  if (graph.symmetric) return std::move(graph);
  return rebuild(std::move(graph), {.symmetrise = true}, pool, space);
}

}  // namespace graphrun::inline GR_IDS
