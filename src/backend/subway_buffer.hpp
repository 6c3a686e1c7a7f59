// How large subway's buffer is, and into what pieces lists are cut for it. Shared by its two executors.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/ops/subgraph_counters.hpp"

namespace graphrun::inline GR_IDS {

inline std::uint64_t subway_bytes_per_edge(const BackendOptions& options) {
  return sizeof(VertexId) + (options.needs_weights ? sizeof(std::uint32_t) : 0);
}

/// Edges of the largest direction: no subgraph has more.
inline EdgeId most_subgraph_edges(const Graph& graph, const BackendOptions& options) {
  return std::max(graph.num_edges(), options.needs_transpose && graph.in ? graph.in->num_edges() : 0);
}

/// Edges that fit into the cap, or into `default_bytes` without one, but no more than `most`. Throws UsageError when those are
/// fewer than `least`.
inline EdgeId subway_capacity(const BackendOptions& options, std::uint64_t default_bytes, EdgeId least, EdgeId most) {
  const std::uint64_t bytes_per_edge = subway_bytes_per_edge(options);
  if (options.cache_bytes && *options.cache_bytes < least * bytes_per_edge) {
    throw UsageError(fmt::format("backend subway gathers subgraphs of {} edges or more and needs --cache {} or more, not {}",
                                 least, least * bytes_per_edge, *options.cache_bytes));
  }
  return std::clamp(options.cache_bytes.value_or(default_bytes) / bytes_per_edge, least, std::max(most, least));
}

/// The same options, with a layout in which no piece of a list has more than `most` edges.
inline BackendOptions with_pieces_of(const Graph& graph, BackendOptions options, EdgeId executors_chunk, EdgeId most,
                                     ThreadPool& pool) {
  if (options.layout == Layout::balanced) {
    options.chunk_edges = std::min(choose_chunk(graph, options, executors_chunk), most);
    return options;
  }
  const auto longest = [&](const Csr& csr) {
    return csr.num_vertices() == 0 ? EdgeId{0} : csr.degree(max_degree_vertex(csr, pool));
  };
  if (std::max(longest(graph.out), options.needs_transpose && graph.in ? longest(*graph.in) : 0) <= most) return options;
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

/// What a backend hands out: rows of both directions, and where the host finds their edges.
template <class View, class Rows>
GraphView<View> subway_view(const Graph& graph, const BackendOptions& options, typename View::Subgraphs* subgraphs,
                            const Rows& out, const Rows& in, const Csr& host_out, const Csr& host_in) {
  const auto edges = [&](const Csr& csr) {
    return View{subgraphs, {csr.neighbours.data(), csr.weights.empty() ? nullptr : csr.weights.data()}};
  };
  GraphView<View> view;
  view.out = out.rows();
  view.out_edges = edges(host_out);
  view.symmetric = graph.symmetric;
  view.num_edges = graph.num_edges();
  const bool separate = !graph.symmetric && options.needs_transpose && graph.in;
  view.has_in = graph.symmetric || separate;
  view.in = separate ? in.rows() : view.out;
  view.in_edges = separate ? edges(host_in) : view.out_edges;
  return view;
}

}  // namespace graphrun::inline GR_IDS
