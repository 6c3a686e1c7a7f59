// The phases of preparing a graph on a GPU, where the workspace has one. Each gives nothing, and leaves all as it was, where it
// has none or the arcs do not fit there; the CPU then does it, with the same result.
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

/// As rows_from_arcs(). Lists in the order of a stream are not made there.
template <class Stream>
std::optional<Csr> rows_on_gpu(Stream& arcs, VertexId num_vertices, const RowsRequest& request, const Workspace& space,
                               ThreadPool& pool);

/// Vertices by descending degree, smaller ids first on ties.
std::optional<std::vector<VertexId>> degree_order_on_gpu(const Csr& csr, const Workspace& space, ThreadPool& pool);

/// Lists by the places of their neighbours, `ranks`; parallel arcs stay as they are.
bool sort_lists_on_gpu(Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool);

/// What the lists of `csr` are like; descents are those of `ranks` unless they are empty.
std::optional<ArcSums> examine_on_gpu(const Csr& csr, const Column<VertexId>& ranks, const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
