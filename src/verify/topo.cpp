// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/topo.hpp"

#include <algorithm>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

Verdict check_topo(const Graph& graph, const TopoOutput& output) {
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  if (const Verdict sized = check_size("levels", output.levels.size(), n); !sized) return sized;
  for (VertexId v = 0; v < n; ++v) {
    if (output.levels[v] >= n) return wrong("vertex {}: level {} of {} vertices", graph.names.text(v), output.levels[v], n);
  }
  std::vector<VertexId> expected(n);  // after the largest level of the predecessors
  Progress progress("levels anew", csr.num_edges());
  for (VertexId u = 0; u < n; ++u) {
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e)
      expected[csr.neighbours[e]] = std::max(expected[csr.neighbours[e]], output.levels[u] + 1);
  }
  for (VertexId v = 0; v < n; ++v) {
    if (output.levels[v] != expected[v])
      return wrong("vertex {}: level {}, expected {}", graph.names.text(v), output.levels[v], expected[v]);
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
