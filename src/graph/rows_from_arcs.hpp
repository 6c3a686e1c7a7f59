// SPDX-License-Identifier: Apache-2.0
// Rows from a stream of arcs: in memory, on a GPU or in scratch files, as the workspace says.
#pragma once

#include <utility>

#include "graph/arc_streams.hpp"
#include "graph/external_rows.hpp"
#include "graph/gpu_rows.hpp"
#include "graph/parallel_arcs.hpp"
#include "graph/rows_builder.hpp"

namespace graphrun::inline GR_IDS {

template <class Arc, class Stream>
Csr rows_of_kind(Stream&& stream, VertexId num_vertices, const RowsRequest& request, const Workspace& space, ThreadPool& pool) {
  if (space.is_on_disk()) {
    ExternalRows<Arc> rows(num_vertices, num_vertices, request, space, pool);
    rows.add(stream);
    return rows.finish();
  }
  Csr csr = RowsBuilder<Arc>(num_vertices, num_vertices, request.order, pool).build(std::forward<Stream>(stream));
  finish_lists(csr, request, pool);
  return csr;
}

/// Consumes the stream. The rows are the same wherever they are built.
template <class Stream>
Csr rows_from_arcs(Stream&& stream, VertexId num_vertices, const RowsRequest& request, const Workspace& space, ThreadPool& pool) {
  if (auto rows = rows_on_gpu(stream, num_vertices, request, space, pool)) return std::move(*rows);
  return request.kind == WeightKind::none
             ? rows_of_kind<PlainArc>(std::forward<Stream>(stream), num_vertices, request, space, pool)
             : rows_of_kind<WeightedArc>(std::forward<Stream>(stream), num_vertices, request, space, pool);
}

}  // namespace graphrun::inline GR_IDS
