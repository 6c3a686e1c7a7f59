// SPDX-License-Identifier: Apache-2.0
// From a request to a result: graphrun's work between parsing and printing.
#pragma once

#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Loads the graph with the algorithm's weights, places its edges, and runs all trials. On request verifies every result outside
/// the timed region. A wrong result does not throw: see RunResult::verification. `run` is from resolve(request).
/// `output` is the file of a later write_output(), whose form is compared with the graph's names before the run; empty: none.
///
/// Throws UsageError (a mismatch with the graph: an unknown source, negative weights, a cap that is too small), DataError (the
/// input), UnavailableError (a missing device or backend), RunError.
RunResult run(ResolvedRun run, const std::string& output = {});

/// Times the trials of result.run in the session, and verifies their results. Fills in trials and findings.
void time_trials(Session& session, const Graph& graph, RunResult& result);

/// Removes the saved state of a run, unless its answer is wrong: for after its outputs are written. Of several processes rank 0
/// removes the files of all, and none waits: every rank's last save came before the exchange that ends the last trial. Throws
/// DataError where that fails.
void remove_saves(const RunResult& result);

/// Throws DataError when a mapped file of the graph was written to: runs read edges from it.
void check_files_unchanged(const Graph& graph);

/// Returns the default weights of sssp: the file's, or 1 an edge when it has none.
WeightSource usual_weights(WeightKind of_file);
/// Logs that `algorithm` takes 1 an edge, where the graph has no weights: a warning, or a note for a generated graph.
void tell_missing_weights(const Graph& graph, const char* algorithm);

/// Throws UsageError unless the graph has vertex `v`.
void require_vertex(VertexId v, const Graph& graph);

/// Returns the `count` vertices of `spec`; only Kind::random draws more than one. Throws UsageError when the graph has no such
/// vertex, or no vertex to start from.
std::vector<VertexId> resolve_sources(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool);

/// Returns the sources of a run from all of them at once, as they are named. A name with commas that is no vertex's is several.
std::vector<VertexId> resolve_source_list(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool);

/// Returns them ascending and distinct.
std::vector<VertexId> resolve_source_set(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool);

/// Draws `count` different vertices, or all where there are fewer: ascending.
std::vector<std::uint64_t> draw_distinct(VertexId num_vertices, int count, std::uint64_t seed);

}  // namespace graphrun::inline GR_IDS
