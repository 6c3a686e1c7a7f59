// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/distances.hpp"
#include "verify/vertex_heap.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Sums with more digits than any kernel's.
using Exact = FloatWeights<long double>;
static_assert(std::numeric_limits<long double>::digits >= 64);

template <class Distance>
struct ShortestPaths {
  std::vector<Distance> distances;
  std::vector<VertexId> edges;  ///< of a path of that length; only where sums are rounded
};

template <class Weights>
ShortestPaths<typename Weights::Distance> dijkstra(const Graph& graph, VertexId source) {
  using Distance = typename Weights::Distance;
  constexpr bool kCountsEdges = std::is_floating_point_v<Distance>;
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  ShortestPaths<Distance> paths{std::vector<Distance>(n, Weights::kUnreached), std::vector<VertexId>(kCountsEdges ? n : 0)};
  std::vector<Distance>& distances = paths.distances;
  if (n == 0) return paths;
  Progress progress("shortest paths anew", csr.num_edges());
  VertexHeap<Distance> heap(distances);
  distances[source] = 0;
  heap.place(source);
  const VertexId* neighbours = csr.neighbours.data();
  const std::uint32_t* words = csr.weights.data();
  const Weights weights(graph);
  while (!heap.empty()) {
    const VertexId u = heap.pop();
    const Distance distance = distances[u];
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const Distance weight = weights.weight(words[e]);
      if (!Weights::allowed(weight)) refuse_weight(graph, u, e);
      const Distance through = Weights::sum(distance, weight);
      const VertexId v = neighbours[e];
      if (!(through < distances[v])) continue;
      distances[v] = through;
      if constexpr (kCountsEdges) paths.edges[v] = paths.edges[u] + 1;
      heap.place(v);
    }
  }
  return paths;
}

Verdict compare(const std::vector<std::uint64_t>& expected, const std::vector<std::uint64_t>& found, const VertexNames& names) {
  for (VertexId v = 0; v < expected.size(); ++v) {
    if (found[v] != expected[v])
      return wrong("vertex {}: {}, expected {}", names.text(v), distance_name(found[v]), distance_name(expected[v]));
  }
  return {};
}

/// Returns how much a sum of `edges` weights may differ from the exact one, relative to it: each was rounded by half an ulp of
/// `Found`. The oracle's own rounding is far smaller.
template <class Found>
long double rounding(VertexId edges) {
  constexpr long double kHalfAnUlp = std::numeric_limits<Found>::epsilon() / 2.0L;
  return std::expm1(static_cast<long double>(edges) * (kHalfAnUlp + std::numeric_limits<long double>::epsilon()));
}

/// Returns the fewest edges of a path to each vertex whose sum, rounded like `Found`, is the distance that was found; a too short
/// distance may come from a path with more edges than the shortest. `kNoVertex`: no path.
template <class Found>
std::vector<VertexId> edges_of_found(const Graph& graph, VertexId source, const std::vector<Found>& found) {
  using Weights = FloatWeights<Found>;
  std::vector<VertexId> edges(found.size(), kNoVertex);
  std::vector<VertexId> reached{source};
  edges[source] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const VertexId u = reached[i];
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
      const VertexId v = graph.out.neighbours[e];
      if (edges[v] != kNoVertex || Weights::sum(found[u], Weights::weight(graph.out.weights[e])) != found[v]) continue;
      edges[v] = edges[u] + 1;
      reached.push_back(v);
    }
  }
  return edges;
}

template <class Found>
Verdict compare_sums(const Graph& graph, VertexId source, const std::vector<Found>& found) {
  const auto [expected, edges] = dijkstra<Exact>(graph, source);
  std::vector<VertexId> edges_found;  // made when one is too short
  Verdict right;
  for (VertexId v = 0; v < expected.size(); ++v) {
    constexpr long double kLargest = std::numeric_limits<Found>::max();
    const bool is_reached = expected[v] != Exact::kUnreached;
    const long double bounded = is_reached ? std::min(expected[v], kLargest) : expected[v];
    const auto is_near = [&](VertexId path) {
      const long double slack = expected[v] * rounding<Found>(path);
      // No comparison with NaN holds.
      return static_cast<long double>(found[v]) >= std::min(expected[v] - slack, kLargest) &&
             static_cast<long double>(found[v]) <= std::min(expected[v] + slack, kLargest);
    };
    VertexId path = edges[v];
    bool is_right = is_reached ? is_near(path) : found[v] == std::numeric_limits<Found>::infinity();
    if (!is_right && is_reached && found[v] < bounded) {
      if (edges_found.empty()) edges_found = edges_of_found(graph, source, found);
      path = edges_found[v];
      is_right = path != kNoVertex && is_near(path);
    }
    if (!is_right) {
      const std::string right_one = is_reached ? distance_name(static_cast<double>(bounded)) : "unreached";
      return wrong("vertex {}: {}, expected {}", graph.names.text(v), distance_name(found[v]), right_one);
    }
    if (is_reached) right.longest_path = std::max<std::uint64_t>(right.longest_path, path);
  }
  if (!std::is_same_v<Found, float>) right.longest_path = 0;
  return right;
}

}  // namespace

Distances serial_sssp(const Graph& graph, VertexId source) {
  require_source(source, graph.num_vertices());
  require_weights(graph);
  if (graph.weight_kind != WeightKind::f32) return dijkstra<WholeWeights>(graph, source).distances;
  const std::vector<long double> exact = dijkstra<Exact>(graph, source).distances;
  return std::vector<double>(exact.begin(), exact.end());
}

Verdict check_sssp(const Graph& graph, const SsspOutput& output) {
  const VertexId n = graph.num_vertices();
  const std::size_t size = std::visit([](const auto& distances) { return distances.size(); }, output.distances);
  if (const Verdict sized = check_size("distances", size, n); !sized) return sized;
  if (const Verdict placed = check_source(output.source, n); !placed) return placed;
  require_weights(graph);
  return std::visit(
      [&](const auto& found) -> Verdict {
        using Found = typename std::decay_t<decltype(found)>::value_type;
        if (std::is_integral_v<Found> != (graph.weight_kind != WeightKind::f32))
          return wrong_type(output.distances, graph.weight_kind);
        if constexpr (std::is_integral_v<Found>) {
          return compare(dijkstra<WholeWeights>(graph, output.source).distances, found, graph.names);
        } else {
          return compare_sums(graph, output.source, found);
        }
      },
      output.distances);
}

}  // namespace graphrun::verify::inline GR_IDS
