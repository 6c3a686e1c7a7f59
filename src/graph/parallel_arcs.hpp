// What the lists of rows under construction should be like, and arcs with the same source and target in lists that are sorted.
#pragma once

#include <cstdint>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

enum class ListOrder { as_streamed, by_target };

struct RowsRequest {
  WeightKind kind = WeightKind::none;
  ListOrder order = ListOrder::by_target;  ///< parallel arcs, when by_target: by weight
  bool drop_duplicates = false;            ///< by_target only: keep the lightest of parallel arcs
};

/// Puts weights in ascending order, as sort_parallel_arcs does.
void sort_weights(std::uint32_t* begin, std::uint32_t* end, WeightKind kind);

/// Puts the weights of parallel arcs in ascending order. f32: -0 before 0, NaN of either sign at that sign's end.
void sort_parallel_arcs(Csr& csr, WeightKind kind, ThreadPool& pool);

/// Keeps the first of several parallel arcs.
void drop_parallel_arcs(Csr& csr, ThreadPool& pool);

/// Does to new rows what `request` says of parallel arcs.
inline void finish_lists(Csr& csr, const RowsRequest& request, ThreadPool& pool) {
  if (request.order == ListOrder::by_target && request.kind != WeightKind::none) sort_parallel_arcs(csr, request.kind, pool);
  if (request.drop_duplicates) drop_parallel_arcs(csr, pool);
}

}  // namespace graphrun::inline GR_IDS
