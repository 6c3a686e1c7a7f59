// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/closeness.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

std::vector<double> serial_closeness(const Csr& csr, Closeness which, const std::vector<std::uint64_t>& sources) {
  const VertexId n = csr.num_vertices();
  const std::uint64_t count = sources.empty() ? n : sources.size();
  std::vector<double> sums(n, 0.0), reaching(n, 0.0), others(n, static_cast<double>(count));
  Progress progress("searches anew", count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t source = sources.empty() ? i : sources[i];
    if (source >= n) raise<UsageError>("source {} is not below the number of vertices, {}", source, n);
    --others[source];
    const std::vector<std::uint32_t> levels = serial_bfs_levels(csr, static_cast<VertexId>(source));
    for (VertexId v = 0; v < n; ++v) {
      if (v == source || levels[v] == kUnreachedLevel) continue;
      ++reaching[v];
      sums[v] += which == Closeness::mean ? levels[v] : 1.0 / levels[v];
    }
    progress.advance(1);
  }
  for (VertexId v = 0; v < n; ++v) {
    if (reaching[v] == 0) continue;
    if (which == Closeness::mean)
      sums[v] = reaching[v] / sums[v] * (reaching[v] / others[v]);
    else
      sums[v] *= (static_cast<double>(n) - 1) / others[v];
  }
  return sums;
}

Verdict check_closeness(const Graph& graph, const ClosenessOutput& output, Closeness which,
                        const std::vector<std::uint64_t>& sources) {
  if (const Verdict sized = check_size("scores", output.scores.size(), graph.num_vertices()); !sized) return sized;
  const std::uint64_t count = sources.empty() ? graph.num_vertices() : sources.size();
  if (output.sources != count) return wrong("the scores are from {} sources, expected {}", output.sources, count);
  const std::vector<double> expected = serial_closeness(graph.out, which, sources);
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (output.scores[v] == expected[v]) continue;
    return wrong("vertex {}: score {:.17g}, expected {:.17g}", graph.names.text(v), output.scores[v], expected[v]);
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
