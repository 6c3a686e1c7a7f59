#pragma once

#include "graphrun/algo/sssp.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// Smallest, largest and mean of up to a million evenly spaced weights of graph.out (all of them when there are fewer).
WeightStats weight_stats(const Graph& graph);

}  // namespace graphrun::inline GR_IDS
