// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/cdlp.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/turned_arcs.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

CdlpOutput serial_cdlp(const Graph& graph, std::uint64_t max_iterations) {
  const Csr& csr = graph.out;
  const std::size_t n = csr.num_vertices();
  const TurnedArcs turned = graph.symmetric ? TurnedArcs{} : turn(csr);
  const auto name_is_less = [&](VertexId a, VertexId b) {
    return graph.names.are_strings() ? a < b : graph.names.number(a) < graph.names.number(b);
  };
  CdlpOutput found{std::vector<VertexId>(n), n == 0};
  for (std::size_t v = 0; v < n; ++v) found.labels[v] = static_cast<VertexId>(v);
  std::vector<VertexId> next(n);
  std::vector<VertexId> seen;
  Progress progress("labels anew", max_iterations * n);
  for (std::uint64_t i = 0; i < max_iterations && !found.stable; ++i) {
    for (std::size_t v = 0; v < n; ++v) {
      progress.advance(1);
      seen.clear();
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) seen.push_back(found.labels[csr.neighbours[e]]);
      if (!graph.symmetric) {
        for (EdgeId e = turned.begins[v]; e < turned.begins[v + 1]; ++e) seen.push_back(found.labels[turned.sources[e]]);
      }
      std::ranges::sort(seen, name_is_less);
      next[v] = found.labels[v];
      std::size_t most = 0;
      for (auto begin = seen.begin(); begin != seen.end();) {
        const auto end = std::find_if(begin, seen.end(), [&](VertexId label) { return label != *begin; });
        if (const auto count = static_cast<std::size_t>(end - begin); count > most) most = count, next[v] = *begin;
        begin = end;
      }
    }
    found.stable = next == found.labels;
    std::swap(next, found.labels);
  }
  return found;
}

Verdict check_cdlp(const Graph& graph, const CdlpOutput& output, std::uint64_t max_iterations) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("labels", output.labels.size(), n); !sized) return sized;
  const CdlpOutput expected = serial_cdlp(graph, max_iterations);
  for (VertexId v = 0; v < n; ++v) {
    if (output.labels[v] == expected.labels[v]) continue;
    return wrong("vertex {}: label {}, expected {}", graph.names.text(v), graph.names.text(output.labels[v]),
                 graph.names.text(expected.labels[v]));
  }
  if (output.stable == expected.stable) return {};
  return wrong("labels are said to be {}stable after the last iteration", output.stable ? "" : "not ");
}

}  // namespace graphrun::verify::inline GR_IDS
