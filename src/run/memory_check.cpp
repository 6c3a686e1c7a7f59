// SPDX-License-Identifier: Apache-2.0

#include "run/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kPageTableBytes = 8;  // a page of the edges, cached or not
// A warp decodes packed lists one by one. On a mesh, with 4 edges a list, that takes longer than moving plain ones.
constexpr std::uint64_t kLeastDegreeToDecode = 16;

bool loads_transpose(const RunOptions& options) {
  return info_of(options).needs_transpose(options) && options.backend.fabric.remote.empty();
}

/// Returns whether a path is searched for in the lists: algorithms with weights have no parents.
bool searches_lists(const RunOptions& options) { return options.path_to && info_of(options).needs_weights(options); }

/// Returns the algorithm's bytes, with the bitmaps of subgraphs.
std::uint64_t algorithm_bytes(const RunOptions& options, const LoadEstimate& graph) {
  const bool gathers = preset_of(options.backend.kind).delivery == EdgeDelivery::gather;
  const std::uint64_t path = searches_lists(options) ? 2 * sizeof(VertexId) : 0;
  return info_of(options).taken_bytes(options, graph) + graph.vertices * (path + (gathers ? kSubgraphBitmapBytes : 0));
}

/// Returns whether records of reversed arcs are held besides those of arcs. Weights of an undirected file may differ by
/// direction, which is unknown before they are read, unless their records are stored.
bool has_reversed_records(const RunOptions& options, const LoadEstimate& graph) {
  if (!makes_records(options, graph)) return graph.reversed_records;
  const auto kind = options.weights.value_or(WeightSource{.kind = WeightSource::Kind::file}).kind;
  return graph.directed || kind == WeightSource::Kind::truth || (kind == WeightSource::Kind::file && graph.weighted);
}

bool of_file(const RunOptions& options) { return !options.weights || options.weights->kind == WeightSource::Kind::file; }

}  // namespace

WeightUse weight_use(const RunOptions& options) {
  return info_of(options).needs_weights(options) && of_file(options) ? WeightUse::exact : WeightUse::unread;
}

std::uint64_t weight_table_bytes(const RunOptions& options, const LoadEstimate& graph) {
  const bool reads = info_of(options).needs_weights(options) || options.backend.needs_weights;
  return reads && of_file(options) ? graph.weight_table_bytes : 0;
}

bool reads_lists_after(const RunOptions& options) { return options.verify.has_value() || searches_lists(options); }

bool makes_records(const RunOptions& options, const LoadEstimate& graph) {
  return reads_records(options) && !(graph.records && of_file(options));
}

bool keeps_packed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph) {
  if (device == DeviceKind::cuda) {
    if (ranks_of(options) > 1 || !kGpusRunAll) return false;  // several GPUs do not decode yet
    // Only plain lists have cached prefixes.
    return decodes(preset_of(options.backend.kind), true) && info_of(options).gpus_decode(options) &&
           graph.arcs >= kLeastDegreeToDecode * graph.vertices && !options.backend.needs_weights &&
           !options.backend.count_requests && options.backend.hot != HotEdges::prefix;
  }
  const bool moves = preset_of(options.backend.kind).tier != EdgeTier::all;  // in memory, scans of lines take twice the time
  return walks_records(options) && moves;
}

std::uint64_t reached_bytes(const RunOptions& options, DeviceKind device, const LoadEstimate& graph) {
  if (reads_records(options)) {
    return graph.arcs * (has_reversed_records(options, graph) ? 2 : 1) * 2 * sizeof(VertexId);
  }
  // An engine's placement for one algorithm stays for the next.
  const bool both = graph.directed && (info_of(options).needs_transpose(options) || options.backend.needs_transpose);
  const bool weights = info_of(options).needs_weights(options) || options.backend.needs_weights;
  const std::uint64_t plain = graph.arcs * ((both ? 2 : 1) * sizeof(VertexId) + (weights ? sizeof(std::uint32_t) : 0));
  if (graph.unpacked_bytes == 0 || !keeps_packed(options, device, graph)) return plain;
  const double share = static_cast<double>(graph.packed_bytes) / static_cast<double>(graph.unpacked_bytes);
  return static_cast<std::uint64_t>(share * static_cast<double>(plain));
}

namespace {

/// Returns the backend's bytes of edges beside the graph.
std::uint64_t backend_bytes(const RunOptions& options, DeviceKind device, const LoadEstimate& graph) {
  const std::uint64_t edges = reached_bytes(options, device, graph);
  const std::uint64_t cached = std::min(edges, options.backend.cache_bytes.value_or(kDefaultPageCacheBytes));
  const Preset& preset = preset_of(options.backend.kind);
  if (device == DeviceKind::cuda) {
    const bool on_host = preset.tier != EdgeTier::all && preset.source != EdgeSource::storage;
    return on_host && options.backend.fabric.remote.empty() ? edges : 0;
  }
  switch (preset.delivery) {
    case EdgeDelivery::load:
      return preset.tier == EdgeTier::all && graph.mapped && graph.packed_bytes == 0 && !makes_records(options, graph) ? edges
                                                                                                                       : 0;
    case EdgeDelivery::fault:
      return std::min(edges, options.backend.cache_bytes.value_or(edges));
    case EdgeDelivery::commands:
      return cached + edges / options.backend.page_bytes * kPageTableBytes;
    case EdgeDelivery::gather:
      return cached + std::min(kSubgraphPlanBytes * graph.vertices, cached / 3);  // its plan: see cpu_subway.cpp
  }
  return 0;
}

/// Returns the bytes of each rank of this process beyond the first; ranks share the cap on the cache, all edges, and offsets.
std::uint64_t bytes_of_more_ranks(const RunOptions& options, DeviceKind device, const LoadEstimate& graph) {
  if (device == DeviceKind::cuda) return 0;  // GPUs hold state and messages, and share the edges
  const double state = info_of(options).rank_state(options).of_a_rank(options.ranks);
  const bool divides = options.backend.cache_bytes || preset_of(options.backend.kind).tier == EdgeTier::all;
  const std::uint64_t edges = divides ? 0 : backend_bytes(options, device, graph);
  const std::uint64_t buffer = info_of(options).buffer_bytes(options, graph.arcs);
  const auto of_vertices = static_cast<std::uint64_t>(state * static_cast<double>(graph.vertices));
  return static_cast<std::uint64_t>(options.ranks - 1) * (of_vertices + edges + buffer);
}

}  // namespace

LoadEstimate estimate_of(const RunOptions& options, bool sample) {
  LoadOptions load = options.load;
  load.need_transpose = loads_transpose(options);
  load.weights = weight_use(options);
  load.keep_packed = true;  // memory_needed() says what is unpacked
  return estimate_load(options.graph, load, sample);
}

bool makes_weights(const RunOptions& options, const LoadEstimate& graph) {
  return info_of(options).needs_weights(options) && !(of_file(options) && graph.weighted);
}

std::uint64_t memory_needed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph) {
  const bool makes = makes_weights(options, graph);
  const bool both_ways = has_reversed_records(options, graph);
  const bool has_in_rows = reads_records(options) ? both_ways : loads_transpose(options) && graph.directed;
  const std::uint64_t offsets =
      graph.mapped ? graph.vertices * sizeof(EdgeId) * (has_in_rows ? 2 : 1) + weight_table_bytes(options, graph) : 0;
  const bool sorts = makes_records(options, graph);
  // Beside packed lists that are kept: see run.cpp.
  const bool unpacks = !keeps_packed(options, device, graph) || reads_lists_after(options) || makes || sorts;
  const std::uint64_t unpacked = unpacks ? graph.unpacked_bytes : 0;
  const std::uint64_t held = graph.held_bytes + unpacked + (makes ? graph.arcs * sizeof(std::uint32_t) : 0) + offsets;
  const std::uint64_t sorting = sorts ? held + records_peak_bytes(graph.vertices, graph.arcs, both_ways) : 0;
  const std::uint64_t records = sorts ? records_bytes(graph.vertices, graph.arcs, both_ways) : 0;
  const std::uint64_t running = held + records + backend_bytes(options, device, graph) + algorithm_bytes(options, graph) +
                                bytes_of_more_ranks(options, device, graph);
  return kProgramBytes + std::max({graph.peak_bytes, sorting, running});
}

namespace {

/// Returns the names of backends that fit `most`.
std::string advice(const RunOptions& options, DeviceKind device, const LoadEstimate& graph, std::uint64_t most) {
  const char* const risk = options.memory_bytes ? "" : ", or take the risk with a larger --memory";
  if (!graph.mapped) {
    return fmt::format(
        "make a container within less by graphconv {} OUT.grf --memory SIZE, and run over that with --backend bam{}",
        options.graph, risk);
  }
  const BackendKind own = options.backend.kind;
  const auto holds_least = [](const Preset& preset) { return reads_in_place(preset) || preset.source == EdgeSource::storage; };
  std::vector<BackendKind> kinds = presets_where(holds_least);
  if (!holds_least(preset_of(own))) kinds.push_back(own);
  std::vector<std::string> ways;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const BackendKind kind : kinds) {
    RunOptions other = options;
    other.backend.kind = kind;
    other.backend.cache_bytes = 0;
    const std::uint64_t needed = memory_needed(other, device, graph);
    least = std::min(least, needed);
    if (needed <= most) ways.push_back(kind == own ? "a smaller --cache" : fmt::format("--backend {}", name_of(kind)));
  }
  if (!ways.empty()) return fmt::format("choose {}{}", fmt::join(ways, " or "), risk);
  return fmt::format("no backend takes less than {}{}", format_bytes(least),
                     options.memory_bytes ? "; allow more with --memory" : risk);
}

}  // namespace

void check_memory(const RunOptions& options, const Device& device, const LoadEstimate& graph) {
  if (graph.arcs == 0 && graph.peak_bytes == 0) return;  // reading reports the reason
  const auto most = options.memory_bytes ? options.memory_bytes : available_memory();
  if (!most) return;
  require_memory(options.graph, memory_needed(options, device.kind, graph), options.memory_bytes,
                 advice(options, device.kind, graph, *most));
}

}  // namespace graphrun::inline GR_IDS
