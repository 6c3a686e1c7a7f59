#include "run/shortest_path.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// The vertices from the source, which is its own parent, to `to`.
std::vector<VertexId> path_by_parents(const std::vector<VertexId>& parents, VertexId source, VertexId to) {
  std::vector<VertexId> vertices{to};
  while (vertices.back() != source) {
    const VertexId parent = parents[vertices.back()];
    if (parent >= parents.size() || vertices.size() == parents.size())
      raise<RunError>("the parents of vertex index:{} do not lead to the source", to);
    vertices.push_back(parent);
  }
  std::reverse(vertices.begin(), vertices.end());
  return vertices;
}

/// Whether an arc of that weight may be the last of a shortest path to `there`.
template <class Distance>
bool is_tight(Distance here, std::uint32_t word, WeightKind kind, Distance there) {
  if constexpr (std::is_integral_v<Distance>) {
    return here + word == there;
  } else {
    const double weight = kind == WeightKind::f32 ? double{std::bit_cast<float>(word)} : static_cast<double>(word);
    return std::abs(double{here} + weight - double{there}) <= double{std::numeric_limits<Distance>::epsilon()} * double{there};
  }
}

template <class Distance>
std::vector<VertexId> path_by_tight_arcs(const Graph& graph, const std::vector<Distance>& distances, VertexId source,
                                         VertexId to) {
  const Csr& out = graph.out;
  require_lists(out);
  std::vector<VertexId> parents(distances.size(), kNoVertex);
  parents[source] = source;
  std::vector<VertexId> queue{source};
  for (std::size_t next = 0; next < queue.size() && parents[to] == kNoVertex; ++next) {
    const VertexId u = queue[next];
    for (EdgeId e = out.offsets[u]; e < out.offsets[u + 1]; ++e) {
      const VertexId v = out.neighbours[e];
      if (parents[v] != kNoVertex || distances[v] > distances[to]) continue;
      if (!is_tight(distances[u], out.weights[e], graph.weight_kind, distances[v])) continue;
      parents[v] = u;
      queue.push_back(v);
    }
  }
  return path_by_parents(parents, source, to);
}

}  // namespace

ShortestPath shortest_path(const Graph& graph, const Output& output, VertexId to) {
  const Progress progress("finding the path");
  ShortestPath path{to, {}};
  if (const auto* search = std::get_if<BfsOutput>(&output)) {
    if (search->levels[to] != kUnreachedLevel) path.vertices = path_by_parents(search->parents, search->source, to);
    return path;
  }
  const auto& search = std::get<SsspOutput>(output);
  std::visit(
      [&]<class Distance>(const std::vector<Distance>& distances) {
        using Limits = std::numeric_limits<Distance>;
        constexpr Distance kAbsent = Limits::has_infinity ? Limits::infinity() : Limits::max();
        if (distances[to] != kAbsent) path.vertices = path_by_tight_arcs(graph, distances, search.source, to);
      },
      search.distances);
  return path;
}

}  // namespace graphrun::inline GR_IDS
