// SPDX-License-Identifier: Apache-2.0
// The order of lists under construction, and parallel arcs in lists that are sorted.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/weight_table.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

enum class ListOrder { as_streamed, by_target };

struct RowsRequest {
  WeightKind kind = WeightKind::none;
  ListOrder order = ListOrder::by_target;  ///< parallel arcs, when by_target: by weight
  MergeRule merge = MergeRule::keep;       ///< by_target only
  WeightSums* sums = nullptr;              ///< sums of u64 weights; outlives the building

  /// Returns whether parallel arcs are sorted by weight.
  bool sorts_weights() const { return kind != WeightKind::none && order == ListOrder::by_target && merge != MergeRule::first; }
};

/// Sorts weights, as sort_parallel_arcs does.
void sort_weights(std::uint32_t* begin, std::uint32_t* end, WeightKind kind);

/// Sorts the weights of parallel arcs. f32: -0 before 0, NaN of either sign at that sign's end.
void sort_parallel_arcs(Csr& csr, WeightKind kind, ThreadPool& pool);

/// Returns the weight of the arc that replaces one or more parallel ones, in the order of RowsRequest::sorts_weights(). Nothing
/// when their sum does not fit.
std::optional<std::uint32_t> merged_weight(const std::uint32_t* begin, const std::uint32_t* end, const RowsRequest& request);

/// Throws DataError about a sum that does not fit.
[[noreturn]] void refuse_sum(WeightKind kind);

/// Makes one arc of parallel ones, by a rule other than `keep`. Throws DataError where a sum does not fit.
void merge_parallel_arcs(Csr& csr, const RowsRequest& request, ThreadPool& pool);

/// Sorts or merges parallel arcs of new rows, as requested.
inline void finish_lists(Csr& csr, const RowsRequest& request, ThreadPool& pool) {
  if (request.sorts_weights()) sort_parallel_arcs(csr, request.kind, pool);
  if (request.merge != MergeRule::keep) merge_parallel_arcs(csr, request, pool);
}

}  // namespace graphrun::inline GR_IDS
