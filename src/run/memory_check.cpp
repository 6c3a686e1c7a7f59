#include "run/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/session.hpp"
#include "run/algorithms/algorithm_info.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::uint64_t state_bytes(const RunOptions& options) {
  const StateBytes state = info_of(options.algorithm).state(options);
  const bool gathers = preset_of(options.backend.kind).delivery == EdgeDelivery::gather;
  const std::uint64_t subgraphs = gathers ? kSubgraphBitmapBytes : 0;
  if (!options.verify) return state.run + subgraphs;
  return (*options.verify == VerifyBy::serial ? state.by_serial : state.verified) + subgraphs;
}

/// Neighbours and weights that the run reaches.
std::uint64_t reached_bytes(const RunOptions& options, const LoadEstimate& graph) {
  if (reads_records(options)) {
    const bool differ = options.weights && options.weights->kind == WeightSource::Kind::truth;
    return graph.arcs * (graph.directed || differ ? 2 : 1) * 2 * sizeof(VertexId);
  }
  const std::uint64_t directions = needs_transpose(options) && graph.directed ? 2 : 1;
  return graph.arcs * (directions * sizeof(VertexId) + (info_of(options.algorithm).needs_weights() ? sizeof(std::uint32_t) : 0));
}

/// What the backend holds of them beside the graph.
std::uint64_t backend_bytes(const RunOptions& options, const Device& device, const LoadEstimate& graph) {
  const std::uint64_t edges = reached_bytes(options, graph);
  const std::uint64_t cached = std::min(edges, options.backend.cache_bytes.value_or(kDefaultPageCacheBytes));
  const Preset& preset = preset_of(options.backend.kind);
  if (device.kind == DeviceKind::cuda) {
    const bool on_host = preset.tier != EdgeTier::all && preset.source != EdgeSource::storage;
    return on_host && options.backend.fabric.remote.empty() ? edges : 0;
  }
  switch (preset.delivery) {
    case EdgeDelivery::load:
      return preset.tier == EdgeTier::all && graph.mapped && !reads_records(options) ? edges : 0;
    case EdgeDelivery::fault:
      return std::min(edges, options.backend.cache_bytes.value_or(edges));
    case EdgeDelivery::commands:
      return cached;
    case EdgeDelivery::gather:
      return cached + std::min(kSubgraphPlanBytes * graph.vertices, cached / 3);  // its plan: see cpu_subway.cpp
  }
  return 0;
}

std::string advice(const RunOptions& options, const LoadEstimate& graph) {
  const char* const risk = options.memory_bytes ? "" : ", or take the risk with a larger --memory";
  const Preset& preset = preset_of(options.backend.kind);
  const bool fits_in_cache = preset.delivery == EdgeDelivery::commands;
  if (graph.mapped && preset.delivery == EdgeDelivery::load && preset.tier == EdgeTier::nothing) {
    return options.memory_bytes ? "no backend takes less: allow more with --memory"
                                : fmt::format("no backend takes less{}", risk);
  }
  if (graph.mapped && fits_in_cache) return fmt::format("choose a smaller --cache, or --backend emogi{}", risk);
  if (graph.mapped) return fmt::format("choose --backend emogi or bam, or a smaller --cache{}", risk);
  return fmt::format("make a container within less by graphconv {} OUT.grf --memory SIZE, and run over that with --backend bam{}",
                     options.graph, risk);
}

}  // namespace

void check_memory(const RunOptions& options, const Device& device) {
  LoadOptions load = options.load;
  load.need_transpose = needs_transpose(options) && options.backend.fabric.remote.empty();
  load.keep_packed = device.kind == DeviceKind::cpu && reads_packed(options);
  const LoadEstimate graph = estimate_load(options.graph, load);
  if (graph.arcs == 0 && graph.peak_bytes == 0) return;  // reading says why
  const bool makes_weights = info_of(options.algorithm).needs_weights() && (options.weights || !graph.weighted);
  const std::uint64_t offsets =
      graph.mapped ? graph.vertices * sizeof(EdgeId) * (load.need_transpose && graph.directed ? 2 : 1) : 0;
  const std::uint64_t unpacked =  // beside the packed lists: see run.cpp
      graph.packed && load.keep_packed && (options.verify || makes_weights) ? reached_bytes(options, graph) : 0;
  const std::uint64_t records = reads_records(options) ? reached_bytes(options, graph) : 0;
  const std::uint64_t running = graph.held_bytes + unpacked + records + (makes_weights ? graph.arcs * sizeof(std::uint32_t) : 0) +
                                offsets + backend_bytes(options, device, graph) + graph.vertices * state_bytes(options) +
                                info_of(options.algorithm).buffer_bytes(options, graph.arcs);
  require_memory(options.graph, kProgramBytes + std::max(graph.peak_bytes, running), options.memory_bytes,
                 advice(options, graph));
}

}  // namespace graphrun::inline GR_IDS
