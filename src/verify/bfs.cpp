// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/bfs_parents.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Returns which tree edges parents[v] -> v are arcs of the graph. Every list is scanned once, not once a child, and only up to
/// the last child that still waits for its arc. So the whole check costs one scan of the edges however many children a hub has.
std::vector<bool> find_tree_arcs(const Csr& csr, const std::vector<VertexId>& parents) {
  const VertexId n = csr.num_vertices();
  std::vector<VertexId> children(n, 0);
  for (VertexId v = 0; v < n; ++v) {
    if (parents[v] < n) ++children[parents[v]];
  }
  std::vector<bool> found(n, false);
  const VertexId* neighbours = csr.neighbours.data();
  Progress progress("parents", csr.num_edges());
  for (VertexId u = 0; u < n; ++u) {
    VertexId waiting = children[u];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; waiting != 0 && e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (parents[v] != u || found[v]) continue;
      found[v] = true;
      --waiting;
    }
  }
  return found;
}

Verdict check_levels(const std::vector<std::uint32_t>& expected, const std::vector<std::uint32_t>& levels,
                     const VertexNames& names) {
  for (VertexId v = 0; v < expected.size(); ++v) {
    if (levels[v] != expected[v]) {
      return wrong("vertex {}: {}, expected {}", names.text(v), level_name(levels[v]), level_name(expected[v]));
    }
  }
  return {};
}

/// Checks parents; `levels` are known to be right.
Verdict check_parents(const Graph& graph, const BfsOutput& output) {
  const std::vector<bool> has_arc = find_tree_arcs(graph.out, output.parents);
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (const Verdict verdict = check_parent(output, v, has_arc[v], graph.names); !verdict) return verdict;
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> serial_bfs_levels(const Csr& csr, VertexId source) {
  const VertexId n = csr.num_vertices();
  require_source(source, n);
  std::vector<std::uint32_t> levels(n, kUnreachedLevel);
  if (n == 0) return levels;
  Progress progress("search anew", csr.num_edges());
  std::vector<VertexId> queue;
  queue.reserve(n);
  levels[source] = 0;
  queue.push_back(source);
  const VertexId* neighbours = csr.neighbours.data();
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const VertexId u = queue[next];
    const std::uint32_t level = levels[u] + 1;
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = neighbours[e];
      if (levels[v] != kUnreachedLevel) continue;
      levels[v] = level;
      queue.push_back(v);
    }
  }
  return levels;
}

Verdict check_bfs(const Graph& graph, const BfsOutput& output) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("levels", output.levels.size(), n); !sized) return sized;
  if (const Verdict sized = check_size("parents", output.parents.size(), n); !sized) return sized;
  if (const Verdict placed = check_source(output.source, n); !placed) return placed;
  if (const Verdict levelled = check_levels(serial_bfs_levels(graph.out, output.source), output.levels, graph.names); !levelled)
    return levelled;
  return check_parents(graph, output);
}

}  // namespace graphrun::verify::inline GR_IDS
