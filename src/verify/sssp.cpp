#include <bit>
#include <type_traits>
#include <variant>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/distances.hpp"
#include "verify/radix_heap.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Rounding to nearest is monotone, so the least distances are the same in every order in which arcs are relaxed, also in f32.
template <class Weights>
std::vector<typename Weights::Distance> dijkstra(const Graph& graph, VertexId source) {
  using Distance = typename Weights::Distance;
  const Csr& csr = graph.out;
  const VertexId n = csr.num_vertices();
  std::vector<Distance> distances(n, Weights::kUnreached);
  if (n == 0) return distances;
  Progress progress("shortest paths anew", csr.num_edges());
  RadixHeap<VertexId> heap;
  distances[source] = 0;
  heap.push(0, source);
  const VertexId* neighbours = csr.neighbours.data();
  const std::uint32_t* weights = csr.weights.data();
  while (!heap.empty()) {
    const auto [key, u] = heap.pop();
    const Distance distance = distances[u];
    if (key != Weights::key(distance)) continue;  // a shorter way to u was taken before
    progress.advance(csr.degree(u));
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const Distance weight = Weights::weight(weights[e]);
      if (!Weights::allowed(weight)) refuse_weight<Weights>(graph, u, e);
      const Distance through = Weights::sum(distance, weight);
      const VertexId v = neighbours[e];
      if (!(through < distances[v])) continue;
      distances[v] = through;
      heap.push(Weights::key(through), v);
    }
  }
  return distances;
}

template <class Distance>
bool same_bits(Distance a, Distance b) {
  if constexpr (std::is_floating_point_v<Distance>) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  } else {
    return a == b;
  }
}

template <class Distance>
Verdict compare(const std::vector<Distance>& expected, const std::vector<Distance>& found, const VertexNames& names) {
  for (VertexId v = 0; v < expected.size(); ++v) {
    if (!same_bits(found[v], expected[v])) {
      return wrong("vertex {}: {}, expected {}", names.text(v), distance_name(found[v]), distance_name(expected[v]));
    }
  }
  return {};
}

}  // namespace

Distances serial_sssp(const Graph& graph, VertexId source) {
  require_source(source, graph.num_vertices());
  require_weights(graph);
  return graph.weight_kind == WeightKind::f32 ? Distances(dijkstra<FloatWeights>(graph, source))
                                              : Distances(dijkstra<WholeWeights>(graph, source));
}

Verdict check_sssp(const Graph& graph, const SsspOutput& output) {
  const VertexId n = graph.num_vertices();
  const std::size_t size = std::visit([](const auto& distances) { return distances.size(); }, output.distances);
  if (const Verdict sized = check_size("distances", size, n); !sized) return sized;
  if (const Verdict placed = check_source(output.source, n); !placed) return placed;
  const Distances expected = serial_sssp(graph, output.source);
  if (expected.index() != output.distances.index()) return wrong_type(output.distances, graph.weight_kind);
  return std::visit(
      [&](const auto& distances) {
        return compare(distances, std::get<std::decay_t<decltype(distances)>>(output.distances), graph.names);
      },
      expected);
}

}  // namespace graphrun::verify::inline GR_IDS
