// SPDX-License-Identifier: Apache-2.0
// The phases of preparing a graph on a GPU. Each returns nothing, and changes nothing, where the workspace has no GPU or the arcs
// do not fit there; the CPU then does it, with the same result.
#pragma once

#include <optional>
#include <vector>

#include "graph/arc_streams.hpp"
#include "graph/parallel_arcs.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

/// Does what rows_from_arcs() does, except for lists in the order of a stream.
template <class Stream>
std::optional<Csr> rows_on_gpu(Stream& arcs, VertexId num_vertices, const RowsRequest& request, const Workspace& space,
                               ThreadPool& pool);

/// Returns the vertices by descending degree, smaller ids first on ties.
std::optional<std::vector<VertexId>> degree_order_on_gpu(const Csr& csr, const Workspace& space, ThreadPool& pool);

/// Sorts lists by the places of their neighbours, `ranks`; parallel arcs stay as they are.
bool sort_lists_on_gpu(Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool);

/// Returns whether a GPU has room for fill_records_on_gpu().
bool gpu_takes_records(const Csr& csr, const Workspace& space);
/// Fills in the lists as records: add_records() has their order.
void fill_records_on_gpu(const Csr& csr, WeightKind kind, Column<VertexId>& records, const Workspace& space, ThreadPool& pool);

/// Examines the lists of `csr`; counts descents of `ranks` unless they are empty.
std::optional<ArcSums> examine_on_gpu(const Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
