// SPDX-License-Identifier: Apache-2.0
// The size of subway's buffer and its pieces of lists. Shared by its two executors.
#pragma once

#include <algorithm>

#include "backend/placed_graph.hpp"
#include "core/raise.hpp"
#include "graphrun/ops/subgraph_counters.hpp"

namespace graphrun::inline GR_IDS {

/// Returns the edges of the larger direction, the most that a subgraph can have.
inline EdgeId most_subgraph_edges(const Graph& graph, const BackendOptions& options) {
  return std::max(graph.num_edges(), reaches_in(graph, options) ? graph.in->num_edges() : 0);
}

/// Returns the edges that fit the cap, or `default_bytes` without one, up to `most`. Throws UsageError below `least`.
inline EdgeId subway_capacity(const BackendOptions& options, std::uint64_t default_bytes, EdgeId least, EdgeId most) {
  const std::uint64_t bytes_per_edge = sizeof(VertexId) + (options.needs_weights ? sizeof(std::uint32_t) : 0);
  if (options.cache_bytes && *options.cache_bytes < least * bytes_per_edge)
    raise<UsageError>("backend subway gathers subgraphs of {} edges or more and needs --cache {} or more, not {}", least,
                      least * bytes_per_edge, *options.cache_bytes);
  return std::clamp(options.cache_bytes.value_or(default_bytes) / bytes_per_edge, least, std::max(most, least));
}

/// Returns the options with a layout whose pieces have at most `most` edges.
inline BackendOptions with_pieces_of(const Graph& graph, BackendOptions options, EdgeId executors_chunk, EdgeId most,
                                     ThreadPool& pool) {
  if (options.layout == Layout::balanced) {
    options.chunk_edges = std::min(choose_chunk(graph, options, executors_chunk), most);
    return options;
  }
  const auto longest = [&](const Csr& csr) {
    return csr.num_vertices() == 0 ? EdgeId{0} : csr.degree(max_degree_vertex(csr, pool));
  };
  if (std::max(longest(graph.out), reaches_in(graph, options) ? longest(*graph.in) : 0) <= most) return options;
  options.layout = Layout::balanced;
  options.chunk_edges = most;
  return options;
}

inline std::vector<Phase> phases_of(const SubgraphCounters& counters) {
  return {{"find", counters.find_ms}, {"gather", counters.gather_ms}, {"copy", counters.copy_ms}};
}

inline Moved moved_by(const SubgraphCounters& counters) {
  return {counters.bytes, counters.copies, "edges gathered into subgraphs, counted as they are copied"};
}

}  // namespace graphrun::inline GR_IDS
