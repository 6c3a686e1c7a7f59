// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/scc.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Searches depth first, by two stacks (Gabow, Information Processing Letters 74, 2000): of the vertices whose components are not
/// known, and of those that may be the first of one.
std::vector<VertexId> serial_strong_components(const Csr& csr) {
  const VertexId n = csr.num_vertices();
  std::vector<VertexId> components(n, kNoVertex);
  std::vector<VertexId> order(n);  // in which vertices are found, from 1; 0: not yet
  std::vector<EdgeId> next(csr.offsets.data(), csr.offsets.data() + n);
  std::vector<VertexId> path;
  std::vector<VertexId> unknown;
  std::vector<VertexId> firsts;
  VertexId found = 0;
  Progress progress("components anew", n);
  const auto enter = [&](VertexId v) {
    progress.advance(1);
    order[v] = ++found;
    for (auto* const stack : {&path, &unknown, &firsts}) stack->push_back(v);
  };
  for (VertexId root = 0; root < n; ++root) {
    if (order[root] == 0) enter(root);
    while (!path.empty()) {
      const VertexId v = path.back();
      if (next[v] < csr.offsets[v + std::size_t{1}]) {
        const VertexId u = csr.neighbours[next[v]++];
        if (order[u] == 0) {
          enter(u);
        } else if (components[u] == kNoVertex) {
          while (order[firsts.back()] > order[u]) firsts.pop_back();
        }
        continue;
      }
      path.pop_back();
      if (firsts.back() != v) continue;
      firsts.pop_back();
      const auto begin = std::find(unknown.rbegin(), unknown.rend(), v).base() - 1;
      const VertexId smallest = *std::min_element(begin, unknown.end());
      for (auto member = begin; member != unknown.end(); ++member) components[*member] = smallest;
      unknown.erase(begin, unknown.end());
    }
  }
  return components;
}

Verdict check_scc(const Graph& graph, const SccOutput& output) {
  const VertexId n = graph.num_vertices();
  if (const Verdict sized = check_size("labels", output.labels.size(), n); !sized) return sized;
  const std::vector<VertexId> expected = serial_strong_components(graph.out);
  for (VertexId v = 0; v < n; ++v) {
    if (output.labels[v] != expected[v]) {
      return wrong("vertex {}: strong component {}, expected {}", graph.names.text(v),
                   output.labels[v] < n ? graph.names.text(output.labels[v]) : "without a vertex", graph.names.text(expected[v]));
    }
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
