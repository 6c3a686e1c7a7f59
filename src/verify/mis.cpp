// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/mis.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

std::vector<std::uint32_t> serial_independent_set(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  std::vector<VertexId> order(n);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::ranges::sort(order, {}, [](VertexId v) { return splitmix64(v); });
  std::vector<std::uint32_t> members(n);
  Progress progress("independent set anew", n);
  for (const VertexId v : order) {
    progress.advance(1);
    const auto list = csr.neighbours.span().subspan(csr.offsets[v], csr.degree(v));
    members[v] = std::ranges::none_of(list, [&](VertexId u) { return members[u] != 0; }) ? 1 : 0;
  }
  return members;
}

Verdict check_mis(const Graph& graph, const MisOutput& output) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("members", output.members.size(), n); !sized) return sized;
  const std::vector<std::uint32_t> expected = serial_independent_set(graph.out);
  for (VertexId v = 0; v < n; ++v) {
    if (output.members[v] != expected[v])
      return wrong("vertex {}: member {}, expected {}", graph.names.text(v), output.members[v], expected[v]);
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
