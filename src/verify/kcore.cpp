// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/kcore.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/turned_arcs.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Goes through the vertices in ascending order of their remaining edges, which it keeps as one sorted array (Batagelj and
/// Zaversnik, arXiv:cs/0310049).
std::vector<VertexId> serial_cores(const Graph& graph) {
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  const TurnedArcs turned = graph.symmetric ? TurnedArcs{} : turn(csr);
  const auto for_each_neighbour = [&](VertexId v, const auto& visit) {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      if (csr.neighbours[e] != v) visit(csr.neighbours[e]);
    }
    if (graph.symmetric) return;
    for (EdgeId e = turned.begins[v]; e < turned.begins[v + 1]; ++e) {
      if (turned.sources[e] != v) visit(turned.sources[e]);
    }
  };

  std::vector<VertexId> cores(n);
  for (VertexId v = 0; v < n; ++v) for_each_neighbour(v, [&](VertexId) { ++cores[v]; });
  std::vector<VertexId> begins(n == 0 ? 1 : *std::ranges::max_element(cores) + std::size_t{2});  // of each count, in `sorted`
  for (const VertexId edges : cores) ++begins[edges + std::size_t{1}];
  for (std::size_t edges = 1; edges < begins.size(); ++edges) begins[edges] += begins[edges - 1];
  std::vector<VertexId> sorted(n);
  std::vector<VertexId> places(n);
  std::vector<VertexId> ends = begins;
  for (VertexId v = 0; v < n; ++v) sorted[places[v] = ends[cores[v]]++] = v;

  Progress progress("cores anew", n);
  for (VertexId i = 0; i < n; ++i) {
    progress.advance(1);
    const VertexId v = sorted[i];
    for_each_neighbour(v, [&](VertexId u) {
      if (cores[u] <= cores[v]) return;
      // Swaps u with the first vertex of its count, which then begins one later.
      const VertexId first = begins[cores[u]]++;
      const VertexId other = sorted[first];
      std::swap(sorted[places[u]], sorted[first]);
      places[other] = std::exchange(places[u], first);
      --cores[u];
    });
  }
  return cores;
}

Verdict check_kcore(const Graph& graph, const KcoreOutput& output) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("cores", output.cores.size(), n); !sized) return sized;
  const std::vector<VertexId> expected = serial_cores(graph);
  for (VertexId v = 0; v < n; ++v) {
    if (output.cores[v] != expected[v])
      return wrong("vertex {}: coreness {}, expected {}", graph.names.text(v), output.cores[v], expected[v]);
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
