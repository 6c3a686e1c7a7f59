// From options to a result: what the program graphrun does between parsing and printing.
#pragma once

#include <memory>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Loads the graph, gives it weights when sssp asks for them, resolves sources, places the edges, runs
/// num_sources * trials trials and, when asked, verifies every answer outside the clock. A wrong answer does not throw:
/// it is told by RunResult::verification.
///
/// Throws UsageError (options that do not fit together or the graph: an unknown source, negative weights, a cap that is
/// too small), DataError (the input), UnavailableError (the device or backend is not there), RunError.
RunResult run(const RunOptions& options);

/// The same over a graph that is loaded and has its weights and transpose; options.graph, load and weights are not looked
/// at. graph must outlive the call only.
RunResult run(const Graph& graph, const RunOptions& options);

/// The same in a session that stays open for the next run: opened here when it is null, else opened for this graph and for what
/// this algorithm reads (BackendOptions::needs_transpose, needs_weights). Throws DataError when a file that the graph maps was
/// written to meanwhile.
RunResult run(const Graph& graph, const RunOptions& options, std::unique_ptr<Session>& session);

/// The session that run(graph, options, session) opens: over a graph that is loaded, with what algorithms read of it
/// (BackendOptions::needs_transpose, needs_weights). graph must outlive it.
std::unique_ptr<Session> open_session(const Graph& graph, const RunOptions& options, const Device& device);

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
