#include "run/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun {
namespace {

/// Of the program and its threads.
constexpr std::uint64_t kProgramBytes = std::uint64_t{8} << 20;

/// A vertex, beside the rows: state, frontiers, queues, the answer, and with --verify the oracle's. Measured on graphs of degree
/// 4 and 32 and rounded up; subgraphs have bitmaps of their own, and searches over them labels of 64 bits.
std::uint64_t state_bytes(const RunOptions& options) {
  struct State {
    std::uint64_t run, verified;
  };
  const State state = [&]() -> State {
    switch (options.algorithm) {
      case Algorithm::bfs:
        return {28, 36};
      case Algorithm::sssp:
        return {32, 64};
      case Algorithm::cc:
        return {22, 28};
      case Algorithm::pagerank:
        return {28, 40};
    }
    return {};
  }();
  constexpr std::uint64_t kSubgraphs = 2;
  return (options.verify ? state.verified : state.run) + (options.backend.kind == BackendKind::subway ? kSubgraphs : 0);
}

/// Neighbours and weights that the run reaches.
std::uint64_t reached_bytes(const RunOptions& options, const LoadEstimate& graph) {
  const std::uint64_t directions = needs_transpose(options) && graph.directed ? 2 : 1;
  return graph.arcs * (directions * sizeof(VertexId) + (options.algorithm == Algorithm::sssp ? sizeof(std::uint32_t) : 0));
}

/// What the backend holds of them beside the graph.
std::uint64_t backend_bytes(const RunOptions& options, const Device& device, const LoadEstimate& graph) {
  const std::uint64_t edges = reached_bytes(options, graph);
  const std::uint64_t cached = std::min(edges, options.backend.cache_bytes.value_or(kDefaultPageCacheBytes));
  if (device.kind == DeviceKind::cuda) {
    const bool on_host = options.backend.kind != BackendKind::incore && options.backend.kind != BackendKind::bam;
    return on_host && options.backend.fabric.remote.empty() ? edges : 0;
  }
  switch (options.backend.kind) {
    case BackendKind::incore:
      return graph.mapped ? edges : 0;
    case BackendKind::emogi:
      return 0;
    case BackendKind::uvm:
      return std::min(edges, options.backend.cache_bytes.value_or(edges));
    case BackendKind::bam:
    case BackendKind::gpuvm:
      return cached;
    case BackendKind::subway:
      return cached + std::min(20 * graph.vertices, cached / 3);  // its plan: see cpu_subway.cpp
  }
  return 0;
}

std::string advice(const RunOptions& options, const LoadEstimate& graph) {
  if (graph.mapped) return "choose --backend emogi or bam, or a smaller --cache";
  return fmt::format("make a container within less by graphconv {} OUT.grf --memory SIZE, and run over that with --backend bam",
                     options.graph);
}

}  // namespace

void check_memory(const RunOptions& options, const Device& device) {
  const auto available = options.memory_bytes ? options.memory_bytes : available_memory();
  if (!available) return;
  LoadOptions load = options.load;
  load.need_transpose = needs_transpose(options) && options.backend.fabric.remote.empty();
  const LoadEstimate graph = estimate_load(options.graph, load);
  if (graph.arcs == 0 && graph.peak_bytes == 0) return;  // reading says why
  const bool makes_weights = options.algorithm == Algorithm::sssp && (options.weights || !graph.weighted);
  const std::uint64_t offsets =
      graph.mapped ? graph.vertices * sizeof(EdgeId) * (load.need_transpose && graph.directed ? 2 : 1) : 0;
  const std::uint64_t running = graph.held_bytes + (makes_weights ? graph.arcs * sizeof(std::uint32_t) : 0) + offsets +
                                backend_bytes(options, device, graph) + graph.vertices * state_bytes(options);
  const std::uint64_t needed = kProgramBytes + std::max(graph.peak_bytes, running);
  log::debug(fmt::format("estimated to take {} of memory, of {}", format_bytes(needed), format_bytes(*available)));
  if (needed <= *available) return;
  throw UnavailableError(fmt::format("{} takes about {} of memory, and {} {}: {}{}", options.graph, format_bytes(needed),
                                     format_bytes(*available), options.memory_bytes ? "are allowed" : "are free",
                                     advice(options, graph),
                                     options.memory_bytes ? "" : ", or take the risk with a larger --memory"));
}

}  // namespace graphrun
