// What a run comes to. Whatever a request leaves open is decided here, once: device, ranks, variant, backend and its defaults,
// what is read of the graph, where the run starts. Nothing that places, runs or shows it changes that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/plan.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// What choices of placement that were left to the program came to.
struct Placement {
  int threads = 0;     ///< host threads that read the graph, and that run where there is no GPU
  std::string fabric;  ///< gpuvm: FabricOptions::kind and provider, never "auto"; empty for other backends
};

struct ResolvedRun {
  /// The request with its defaults, the variant and the backend that were chosen, and what that reaches of the graph
  /// (BackendOptions::needs_transpose, needs_weights, records).
  RunOptions options;
  Device device;
  LoadOptions load;  ///< how the graph is read
  Placement placement;
  std::optional<RunPlan> plan;  ///< where RunOptions::auto_backend had one made
  bool stays = false;           ///< the session of the run before serves this one, too
  std::string why_variant;      ///< where none was named
  std::string why_device;       ///< why device "auto" left out a GPU that works; empty: it did not
  // with_sources() finds these:
  std::vector<VertexId> sources;    ///< a run from each, or a batch; empty: one run, from what the algorithm's options say
  std::optional<VertexId> path_to;  ///< RunOptions::path_to

  /// "sssp by prefix"
  std::string text() const;
};

/// Returns why no GPU runs the request with the ids of this build; empty when one does. `packed`: its lists are.
std::string why_only_on_cpu(const RunOptions& request, bool packed = false);

/// Decides before the graph of the request is read, by what its file says of it. Throws UsageError when options do not fit
/// together, or a GPU that is named does not run it with these ids, UnavailableError when the device is not there, or the run is
/// estimated to need more memory than it may take, and RunError when other processes were asked for something else.
ResolvedRun resolve(RunOptions request);

/// Decides for a graph that is loaded and has its weights, on a device that can be used: a GPU is left for the CPU where the
/// request says "auto" and no GPU runs it with these ids. `placed`: the last run over it, whose placement serves this one, too,
/// where `is_placed` and it reaches what this one reads; null: none. Throws UsageError.
ResolvedRun resolve(RunOptions request, const Graph& graph, const Device& device, const ResolvedRun* placed, bool is_placed);

/// Returns the run with the vertices of its sources and the end of its path. Throws UsageError when the graph does not have them,
/// or is directed and the algorithm needs an undirected one, and RunError when other processes have another graph.
ResolvedRun with_sources(ResolvedRun run, const Graph& graph);

}  // namespace graphrun::inline GR_IDS
