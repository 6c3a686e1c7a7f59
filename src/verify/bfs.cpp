#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// "level 3" or "unreached".
std::string level_name(std::uint32_t level) { return level == kUnreachedLevel ? "unreached" : fmt::format("level {}", level); }

std::string parent_name(VertexId parent, const VertexNames& names) {
  return parent == kNoVertex ? "no parent" : fmt::format("parent {}", names.text(parent));
}

/// Which tree edges parents[v] -> v are arcs of the graph.
///
/// Every list is walked once, not once a child, and only as far as the last child that still waits for its arc; so the
/// whole check costs one scan of the edges however many children a hub has.
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
      return wrong(fmt::format("vertex {}: {}, expected {}", names.text(v), level_name(levels[v]), level_name(expected[v])));
    }
  }
  return {};
}

/// `levels` are known to be right.
Verdict check_parents(const Graph& graph, VertexId source, const std::vector<std::uint32_t>& levels,
                      const std::vector<VertexId>& parents) {
  const VertexId n = graph.num_vertices();
  const VertexNames& names = graph.names;
  const std::vector<bool> has_arc = find_tree_arcs(graph.out, parents);
  for (VertexId v = 0; v < n; ++v) {
    const VertexId parent = parents[v];
    if (levels[v] == kUnreachedLevel || v == source) {
      const VertexId expected = v == source ? source : kNoVertex;
      if (parent != expected)
        return wrong(
            fmt::format("vertex {}: {}, expected {}", names.text(v), parent_name(parent, names), parent_name(expected, names)));
    } else if (parent >= n) {
      return wrong(fmt::format("vertex {}: {}, but it is at level {}", names.text(v), parent_name(parent, names), levels[v]));
    } else if (levels[parent] == kUnreachedLevel) {
      return wrong(
          fmt::format("vertex {}: at level {}, but its parent {} is unreached", names.text(v), levels[v], names.text(parent)));
    } else if (levels[parent] + 1 != levels[v]) {
      return wrong(fmt::format("vertex {}: at level {}, but its parent {} has level {}", names.text(v), levels[v],
                               names.text(parent), levels[parent]));
    } else if (!has_arc[v]) {
      return wrong(fmt::format("vertex {}: there is no arc from its parent {}", names.text(v), names.text(parent)));
    }
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
  return check_parents(graph, output.source, output.levels, output.parents);
}

}  // namespace graphrun::verify::inline GR_IDS
