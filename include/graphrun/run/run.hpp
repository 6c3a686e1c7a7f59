// From a request to a result: what the program graphrun does between parsing and printing.
#pragma once

#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Loads the graph with the weights that the algorithm reads, places its edges, runs all trials and, when asked, verifies every
/// answer outside the clock. A wrong answer does not throw: it is told by RunResult::verification. The run is one that
/// resolve(request) decided.
///
/// Throws UsageError (what does not fit the graph: an unknown source, negative weights, a cap that is too small), DataError (the
/// input), UnavailableError (the device or backend is not there), RunError.
RunResult run(ResolvedRun run);

/// Times the trials of result.run in the session, and verifies their answers. Fills in the trials and what they found.
void time_trials(Session& session, const Graph& graph, RunResult& result);

/// Edges are read from the files that a graph maps as long as a run lasts. Throws DataError when one was written to meanwhile.
void check_files_unchanged(const Graph& graph);

/// Returns what sssp uses unless told otherwise: the weights of the file, and 1 an edge where it has none.
WeightSource usual_weights(WeightKind of_file);
/// Logs that `algorithm` takes 1 an edge, where the graph has no weights: a warning, of a generated graph a note.
void tell_missing_weights(const Graph& graph, const char* algorithm);

/// Throws UsageError unless the graph has vertex `v`.
void require_vertex(VertexId v, const Graph& graph);

/// The `count` vertices that `spec` names, of which Kind::random draws more than one.
/// Throws UsageError when the graph has no such vertex, or no vertex to start from.
std::vector<VertexId> resolve_sources(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool);

/// The same for a run that starts from all of them at once: a name with commas that no vertex has is several sources. Ascending,
/// each once.
std::vector<VertexId> resolve_source_set(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool);

/// Draws `count` different vertices of all, or all where there are fewer: ascending.
std::vector<std::uint64_t> draw_distinct(VertexId num_vertices, int count, std::uint64_t seed);

}  // namespace graphrun::inline GR_IDS
