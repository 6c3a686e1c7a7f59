// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/msf.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// An edge in the order of MsfOutput. Words of weights ascend with them.
struct ForestEdge {
  std::uint32_t word;
  VertexId low;
  VertexId high;
  auto operator<=>(const ForestEdge&) const = default;
};

std::vector<ForestEdge> edges_by_weight(const Graph& graph) {
  const Csr& csr = graph.out;
  std::vector<ForestEdge> edges;
  edges.reserve(csr.num_edges() / 2);
  for (VertexId u = 0; u < csr.num_vertices(); ++u) {
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const std::uint32_t word = csr.weights[e];
      const bool is_zero = graph.weight_kind == WeightKind::f32 && std::bit_cast<float>(word) == 0;  // also of the other sign
      if (u < csr.neighbours[e]) edges.push_back({is_zero ? 0 : word, u, csr.neighbours[e]});
    }
  }
  std::ranges::sort(edges);
  return edges;
}

/// Leaves the edges that Kruskal's algorithm takes, in their order.
void keep_forest(std::vector<ForestEdge>& edges, VertexId n) {
  std::vector<VertexId> above(n);
  for (VertexId v = 0; v < n; ++v) above[v] = v;
  const auto root_of = [&](VertexId v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  Progress progress("forest anew", edges.size());
  std::erase_if(edges, [&](const ForestEdge& edge) {
    progress.advance(1);
    const VertexId low = root_of(edge.low);
    const VertexId high = root_of(edge.high);
    above[high] = low;
    return low == high;
  });
}

}  // namespace

Verdict check_msf(const Graph& graph, const MsfOutput& output) {
  const VertexId n = graph.num_vertices();
  const std::size_t weights = std::visit([](const auto& each) { return each.size(); }, output.weights);
  for (const auto& [what, size] :
       {std::pair{"parents", output.parents.size()}, {"components", output.components.size()}, {"weights", weights}}) {
    if (const Verdict sized = check_size(what, size, n); !sized) return sized;
  }
  std::vector<ForestEdge> forest = edges_by_weight(graph);
  keep_forest(forest, n);
  const std::vector<VertexId> components = serial_components(graph.out);
  std::vector<bool> used(forest.size());
  const auto name = [&](VertexId v) { return graph.names.text(v); };
  const auto is_weight = [&](VertexId v, std::uint32_t word) {
    if (output.weights.index() == 2) return std::get<2>(output.weights)[v] == std::bit_cast<float>(word);
    return (output.weights.index() == 1 ? std::get<1>(output.weights)[v] : std::get<0>(output.weights)[v]) ==
           graph.whole_weight(word);
  };
  // A forest of k edges that k vertices lead along toward k fewer roots has one direction for each.
  const auto by_ends = [](const ForestEdge& one, const ForestEdge& other) {
    return std::pair(one.low, one.high) < std::pair(other.low, other.high);
  };
  std::ranges::sort(forest, by_ends);
  for (VertexId v = 0; v < n; ++v) {
    const VertexId parent = output.parents[v];
    if (output.components[v] != components[v])
      return wrong("vertex {}: component {}, expected {}", name(v), output.components[v], components[v]);
    if ((parent == v) != (components[v] == v))
      return wrong("vertex {} has {} as its parent, and {} is the smallest of its tree", name(v), parent, name(components[v]));
    if (parent == v) {
      if (!std::visit([&](const auto& each) { return each[v] == 0; }, output.weights))
        return wrong("vertex {} has no parent, and an edge that weighs something", name(v));
      continue;
    }
    if (parent >= n) return wrong("vertex {}: parent {} of {} vertices", name(v), parent, n);
    const ForestEdge edge{0, std::min(v, parent), std::max(v, parent)};
    const auto at = std::ranges::lower_bound(forest, edge, by_ends);
    if (at == forest.end() || by_ends(edge, *at))
      return wrong("vertex {}: the edge to {} is not of the lightest forest", name(v), name(parent));
    if (used[static_cast<std::size_t>(at - forest.begin())])
      return wrong("vertex {} and its parent {} lead to each other", name(v), name(parent));
    used[static_cast<std::size_t>(at - forest.begin())] = true;
    if (!is_weight(v, at->word))
      return wrong("vertex {}: the edge to {} weighs {}", name(v), name(parent), graph.weight_text(at->word));
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
