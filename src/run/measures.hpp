// Figures derived from trials: traversed edges, rates, amplification.
#pragma once

#include <optional>

#include "graphrun/graph/graph.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Input edges of the traversed part of the graph: see teps_definition(). Walks the answer once.
double input_edges(const Graph& graph, const Output& output);

/// Fills in record.input_edges and record.gteps. `edges` is what input_edges() says.
void set_rate(TrialRecord& record, Algorithm algorithm, double edges);

/// Bytes moved per byte of the edges examined, weights included when the algorithm reads them.
std::optional<double> amplification(const TrialRecord& record, bool with_weights);

}  // namespace graphrun::inline GR_IDS
