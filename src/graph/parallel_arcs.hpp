// Arcs with the same source and target, in a Csr whose lists are sorted.
#pragma once

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun {

/// Puts the weights of parallel arcs in ascending order. f32: -0 before 0, NaN of either sign at that sign's end.
void sort_parallel_arcs(Csr& csr, WeightKind kind, ThreadPool& pool);

/// Keeps the first of several parallel arcs.
void drop_parallel_arcs(Csr& csr, ThreadPool& pool);

}  // namespace graphrun
