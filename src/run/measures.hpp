// Figures derived from trials: traversed edges, rates, amplification.
#pragma once

#include <optional>
#include <vector>

#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Fills in record.input_edges and record.gteps. `edges` is what AlgorithmInfo::input_edges() says.
void set_rate(TrialRecord& record, std::optional<double> edges);

/// Bytes moved per byte of the edges examined, weights included when the algorithm reads them.
std::optional<double> amplification(const TrialRecord& record, bool with_weights);

}  // namespace graphrun::inline GR_IDS
