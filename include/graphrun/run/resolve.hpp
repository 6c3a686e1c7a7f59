// SPDX-License-Identifier: Apache-2.0
// Decides, once, each open choice of a request: device, ranks, variant, backend and its defaults, parts of the graph to read,
// sources. Later stages change none of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/plan.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// The resolved placement choices.
struct Placement {
  int threads = 0;     ///< host threads that read the graph, and run on a CPU
  std::string fabric;  ///< gpuvm: FabricOptions::kind and provider, never "auto"; empty for other backends
};

struct ResolvedRun {
  /// The request with defaults, the chosen variant and backend, and the needed parts of the graph
  /// (BackendOptions::needs_transpose, needs_weights, records).
  RunOptions options;
  Device device;
  LoadOptions load;  ///< how the graph is read
  Placement placement;
  std::optional<RunPlan> plan;  ///< of RunOptions::auto_backend
  bool stays = false;           ///< the previous run's session serves this one, too
  std::string why_variant;      ///< why settle() chose; empty: the request named it
  std::string why_device;       ///< why device "auto" rejected a working GPU; empty: it did not
  // with_sources() sets these:
  std::vector<VertexId> sources;    ///< a run from each, or a batch; empty: one run, from the algorithm's options
  std::optional<VertexId> path_to;  ///< RunOptions::path_to

  /// Returns for example "sssp by prefix".
  std::string text() const;
};

/// Returns why no GPU runs the request with the ids of this build; empty when one does. `packed`: its lists are.
std::string why_only_on_cpu(const RunOptions& request, bool packed = false);

/// Decides before the graph is read, by facts of its file. Throws UsageError when options conflict or a named GPU cannot run it
/// with these ids. Throws UnavailableError when the device is missing or memory is estimated too small, and RunError when other
/// processes got another request.
ResolvedRun resolve(RunOptions request);

/// Decides for a loaded graph with its weights, on a usable device. For device "auto" replaces a GPU that cannot run the request
/// with these ids by the CPU. `placed`: the last run, whose placement is reused where `is_placed` and it covers this run; null:
/// none. Throws UsageError.
ResolvedRun resolve(RunOptions request, const Graph& graph, const Device& device, const ResolvedRun* placed, bool is_placed);

/// Returns the run with its source vertices and the end of its path. Throws UsageError when the graph lacks them, or is directed
/// and the algorithm needs an undirected one, and RunError when other processes have another graph.
ResolvedRun with_sources(ResolvedRun run, const Graph& graph);

}  // namespace graphrun::inline GR_IDS
