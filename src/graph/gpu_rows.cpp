// SPDX-License-Identifier: Apache-2.0

#include "graph/gpu_rows.hpp"

#include <cstddef>

#include "graphrun/core/log.hpp"

namespace graphrun::inline GR_IDS {
namespace {

ArcSource source_of(const Csr& csr) {
  ArcSource source;
  source.vertices = csr.num_vertices();
  source.entries = csr.num_edges();
  source.offsets = csr.offsets.data();
  source.targets = csr.neighbours.data();
  source.weights = csr.weights.data();
  return source;
}

ArcSource source_of(const ListedArcs& arcs, VertexId num_vertices) {
  ArcSource source;
  source.vertices = num_vertices;
  source.entries = arcs.size();
  source.sources = arcs.list.sources.data();
  source.targets = arcs.list.targets.data();
  source.weights = arcs.list.weights.data();
  source.backwards = arcs.mirror;
  source.drop_self_loops = arcs.drop_self_loops;
  return source;
}

ArcSource source_of(const StoredArcs& arcs, VertexId) {
  ArcSource source = source_of(arcs.csr);
  source.new_ids = arcs.new_ids.data();
  source.forwards = arcs.taken != Taken::backwards;
  source.backwards = arcs.taken != Taken::forwards;
  source.drop_self_loops = arcs.drop_self_loops;
  return source;
}

WeightOrder order_of(WeightKind kind) {
  return kind == WeightKind::none ? WeightOrder::no_weights : kind == WeightKind::f32 ? WeightOrder::f32 : WeightOrder::u32;
}

/// Returns the sorter where there is one with room, or null.
ArcSorter* sorter_for(const ArcSource& source, bool weighted, const Workspace& space) {
  ArcSorter* sorter = space.sorter();
  return sorter != nullptr && sorter->takes(source.vertices, source.most_arcs(), weighted) ? sorter : nullptr;
}

}  // namespace

template <class Stream>
std::optional<Csr> rows_on_gpu(Stream& arcs, VertexId num_vertices, const RowsRequest& request, const Workspace& space,
                               ThreadPool& pool) {
  if (request.order != ListOrder::by_target) return std::nullopt;
  const bool weighted = request.kind != WeightKind::none;
  if (weighted && request.merge == MergeRule::first) {
    if (space.sorter() != nullptr)
      log::info("--merge first goes by the order of the input, which a GPU does not keep: the CPU puts edges in order");
    return std::nullopt;
  }
  const bool drops = request.merge == MergeRule::min || (!weighted && request.merge != MergeRule::keep);
  ArcSource source = source_of(arcs, num_vertices);
  if (!weighted) source.weights = nullptr;
  ArcSorter* sorter = sorter_for(source, weighted, space);
  if (sorter == nullptr) return std::nullopt;
  const EdgeId count = sorter->sort(source, order_of(request.kind), drops, pool);
  arcs = {};
  Csr csr;
  csr.offsets = Column<EdgeId>::allocate(std::size_t{num_vertices} + 1);
  csr.neighbours = Column<VertexId>::allocate(count);
  if (weighted) csr.weights = Column<std::uint32_t>::allocate(count);
  sorter->take(csr.offsets.data(), csr.neighbours.data(), csr.weights.data(), false, pool);
  if (request.merge != MergeRule::keep && !drops) merge_parallel_arcs(csr, request, pool);
  return csr;
}

template std::optional<Csr> rows_on_gpu(ListedArcs&, VertexId, const RowsRequest&, const Workspace&, ThreadPool&);
template std::optional<Csr> rows_on_gpu(StoredArcs&, VertexId, const RowsRequest&, const Workspace&, ThreadPool&);

std::optional<std::vector<VertexId>> degree_order_on_gpu(const Csr& csr, const Workspace& space, ThreadPool& pool) {
  ArcSorter* sorter = space.sorter();
  const VertexId n = csr.num_vertices();
  if (sorter == nullptr || n == 0 || !sorter->takes(n, 0, false)) return std::nullopt;
  std::vector<VertexId> order(n);
  sorter->order_by_degree(csr.offsets.data(), n, order.data(), pool);
  return order;
}

bool sort_lists_on_gpu(Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool) {
  ArcSource source = source_of(csr);
  const bool weighted = !csr.weights.empty();
  ArcSorter* sorter = csr.num_vertices() == 0 ? nullptr : sorter_for(source, weighted, space);
  if (sorter == nullptr) return false;
  source.new_ids = ranks.data();
  source.rename_sources = false;
  const EdgeId count = sorter->sort(source, weighted ? WeightOrder::as_they_come : WeightOrder::no_weights, false, pool);
  csr.neighbours = {}, csr.weights = {};  // they are on the device
  csr.neighbours = Column<VertexId>::allocate(count);
  if (weighted) csr.weights = Column<std::uint32_t>::allocate(count);
  sorter->take({}, csr.neighbours.data(), csr.weights.data(), true, pool);
  return true;
}

bool gpu_takes_records(const Csr& csr, const Workspace& space) {
  return csr.num_vertices() != 0 && sorter_for(source_of(csr), true, space) != nullptr;
}

void fill_records_on_gpu(const Csr& csr, WeightKind kind, Column<VertexId>& records, const Workspace& space, ThreadPool& pool) {
  space.sorter()->sort_records(source_of(csr), order_of(kind), records.data(), pool);
}

std::optional<ArcSums> examine_on_gpu(const Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool) {
  ArcSource source = source_of(csr);
  ArcSorter* sorter = csr.num_vertices() == 0 ? nullptr : sorter_for(source, false, space);
  if (sorter == nullptr) return std::nullopt;
  source.weights = nullptr;
  source.new_ids = ranks.data();
  source.rename_sources = false;
  return sorter->examine(source, pool);
}

}  // namespace graphrun::inline GR_IDS
