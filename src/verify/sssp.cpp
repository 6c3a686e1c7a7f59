#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/radix_heap.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// How weights of one kind are added and ordered. key() grows with the distance: the bits of non-negative floats do.
struct WholeWeights {
  using Distance = std::uint64_t;
  static constexpr Distance kUnreached = kUnreachedDistance;
  static Distance weight(std::uint32_t word) { return word; }
  static bool allowed(Distance) { return true; }
  static Distance sum(Distance a, Distance b) { return a + b; }
  static std::uint64_t key(Distance distance) { return distance; }
};

struct FloatWeights {
  using Distance = float;
  static constexpr Distance kUnreached = std::numeric_limits<float>::infinity();
  static constexpr Distance kLargest = std::numeric_limits<float>::max();
  static Distance weight(std::uint32_t word) { return std::bit_cast<float>(word); }
  static bool allowed(Distance weight) { return weight >= 0 && weight <= kLargest; }  // neither negative nor NaN nor infinite
  static Distance sum(Distance a, Distance b) { return std::min(a + b, kLargest); }   // what is reached is not unreached
  static std::uint64_t key(Distance distance) { return std::bit_cast<std::uint32_t>(distance); }
};

/// Rounding to nearest is monotone, so the least distances are the same in whatever order arcs are relaxed, also in f32.
template <class Weights>
std::vector<typename Weights::Distance> dijkstra(const Csr& csr, const VertexNames& names, VertexId source) {
  using Distance = typename Weights::Distance;
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
      if (!Weights::allowed(weight)) {
        throw UsageError(fmt::format("the arc from {} to {} has weight {}, for which Dijkstra's algorithm is not valid",
                                     names.text(u), names.text(neighbours[e]), weight));
      }
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
std::string distance_name(Distance distance) {
  if constexpr (std::is_floating_point_v<Distance>) {
    // Nine digits tell any two floats apart.
    return distance == std::numeric_limits<Distance>::infinity() ? "unreached" : fmt::format("distance {:.9g}", distance);
  } else {
    return distance == kUnreachedDistance ? "unreached" : fmt::format("distance {}", distance);
  }
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
      return wrong(fmt::format("vertex {}: {}, expected {}", names.text(v), distance_name(found[v]), distance_name(expected[v])));
    }
  }
  return {};
}

}  // namespace

Distances serial_sssp(const Graph& graph, VertexId source) {
  require_source(source, graph.num_vertices());
  const EdgeId num_weights = graph.weight_kind == WeightKind::none ? 0 : graph.out.weights.size();
  if (num_weights != graph.num_edges()) {
    throw UsageError(
        fmt::format("shortest paths need a weight for each of the {} edges, and there are {}", graph.num_edges(), num_weights));
  }
  if (graph.weight_kind == WeightKind::f32) return dijkstra<FloatWeights>(graph.out, graph.names, source);
  return dijkstra<WholeWeights>(graph.out, graph.names, source);
}

Verdict check_sssp(const Graph& graph, const SsspOutput& output) {
  const VertexId n = graph.num_vertices();
  const std::size_t size = std::visit([](const auto& distances) { return distances.size(); }, output.distances);
  if (const Verdict sized = check_size("distances", size, n); !sized) return sized;
  if (const Verdict placed = check_source(output.source, n); !placed) return placed;
  const Distances expected = serial_sssp(graph, output.source);
  if (expected.index() != output.distances.index()) {
    return wrong(fmt::format("distances are {}, but weights are {}", output.distances.index() == 0 ? "whole" : "f32",
                             expected.index() == 0 ? "u32" : "f32"));
  }
  return std::visit(
      [&](const auto& distances) {
        return compare(distances, std::get<std::decay_t<decltype(distances)>>(output.distances), graph.names);
      },
      expected);
}

}  // namespace graphrun::verify::inline GR_IDS
