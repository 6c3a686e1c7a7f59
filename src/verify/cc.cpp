// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Returns the root of v's tree. Every other vertex on the way is hung one step higher ("path halving", Tarjan and van Leeuwen,
/// "Worst-case Analysis of Set Union Algorithms", Journal of the ACM 1984).
VertexId find_root(std::vector<VertexId>& above, VertexId v) {
  while (above[v] != v) {
    above[v] = above[above[v]];
    v = above[v];
  }
  return v;
}

}  // namespace

std::vector<VertexId> serial_components(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  std::vector<VertexId> above(n);
  for (VertexId v = 0; v < n; ++v) above[v] = v;
  const VertexId* neighbours = csr.neighbours.data();
  Progress progress("components anew", csr.num_edges());
  for (VertexId u = 0; u < n; ++u) {
    progress.advance(csr.degree(u));
    VertexId root = find_root(above, u);
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      VertexId other = find_root(above, neighbours[e]);
      // The smaller id stays the root: it names the component in the end.
      if (other < root) std::swap(root, other);
      above[other] = root;
    }
  }
  // Nothing hangs below a larger id, so v's parent has its final value at v's turn.
  for (VertexId v = 0; v < n; ++v) above[v] = above[above[v]];
  return above;
}

Verdict check_cc(const Graph& graph, const CcOutput& output) {
  const VertexId n = graph.num_vertices();
  const std::vector<VertexId>& labels = output.labels;
  const auto name = [&](VertexId v) { return graph.names.text(v); };
  if (const Verdict sized = check_size("labels", labels.size(), n); !sized) return sized;
  const std::vector<VertexId> components = serial_components(graph.out);
  for (VertexId v = 0; v < n; ++v) {
    const VertexId first = components[v];  // smallest id of the component, so its label was checked before
    if (labels[v] >= n) return wrong("vertex {}: label {} is not below the number of vertices, {}", name(v), labels[v], n);
    if (components[labels[v]] != first) {
      return wrong("vertex {}: label {} is a vertex of another component (that of {}, not that of {})", name(v), name(labels[v]),
                   name(components[labels[v]]), name(first));
    }
    if (labels[v] != labels[first]) {
      return wrong("vertex {}: label {}, but vertex {} of the same component has {}", name(v), name(labels[v]), name(first),
                   name(labels[first]));
    }
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
