// SPDX-License-Identifier: Apache-2.0
// Each runs a trial of an algorithm of this library, and fills `output` unless it is null; of ranks that are processes, all are
// given one, or none. Throws RunError when the device or a worker failed, and UsageError when the variant reads in-edges and the
// session has none.
#pragma once

#include <span>

#include "graphrun/algorithms/bc.hpp"
#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/algorithms/cc.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/pagerank.hpp"
#include "graphrun/algorithms/sample.hpp"
#include "graphrun/algorithms/sssp.hpp"
#include "graphrun/algorithms/tc.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

Trial run_bfs(Session& session, VertexId source, const BfsOptions& options, BfsOutput* output);

/// Takes at most kMostSearches sources.
Trial run_bfs_batch(Session& session, std::span<const VertexId> sources, const BfsOptions& options, BfsBatchOutput* output);

/// Throws UsageError when the session has no weights, and when a distance is too large for a float.
Trial run_sssp(Session& session, VertexId source, const SsspOptions& options, SsspOutput* output);

Trial run_cc(Session& session, const CcOptions& options, CcOutput* output);

/// Iterates in 32-bit floats for tolerances of 1e-6 and more, in 64-bit floats below.
Trial run_pagerank(Session& session, const PagerankOptions& options, PagerankOutput* output);

/// Throws UsageError when there are 2^4194302 shortest paths to some vertex.
Trial run_bc(Session& session, const BcOptions& options, BcOutput* output);

/// Throws UsageError when the graph is directed, and when a list does not fit into the buffer.
Trial run_tc(Session& session, const TcOptions& options, TcOutput* output);

/// Starts are distinct vertices of the graph. Throws UsageError for several ranks by weight, and when a hop would draw more edges than ids
/// can number.
Trial run_sample(Session& session, const Sampling& options, Sample* output);

}  // namespace graphrun::inline GR_IDS
