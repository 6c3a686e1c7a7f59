// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "verify/arc_pass.hpp"
#include "verify/distances.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Checks each vertex's distance by itself.
template <class Distance>
bool is_no_distance(Distance distance) {
  if constexpr (std::is_floating_point_v<Distance>) {
    return std::isnan(distance) || std::signbit(distance);
  } else {
    return false;
  }
}

template <class Weights>
class SsspProperties {
 public:
  using Distance = typename Weights::Distance;

  SsspProperties(const Graph& graph, VertexId source, const std::vector<Distance>& distances, const Passes& how)
      : graph_(graph),
        weights_(graph),
        csr_(graph.out),
        neighbours_(graph.out.neighbours.data()),
        words_(graph.out.weights.data()),
        source_(source),
        distances_(distances.data()),
        how_(how),
        witnessed_(graph.num_vertices()) {}

  Verdict check() {
    const VertexId n = graph_.num_vertices();
    if (Weights::key(distances_[source_]) != 0) return unexpected(source_, "expected distance 0");
    const VertexId strange = first_wrong_vertex(n, how_, [&](VertexId v) { return is_no_distance(distances_[v]); });
    if (strange != kNoVertex) return unexpected(strange, "which no path has");
    if (const EdgeId bad = relax_all(); bad != kNoArc) return relaxed(bad);
    Verdict right;
    if constexpr (kCountsEdges) {
      right.longest_path = search_tight_arcs();
    } else {
      witnessed_.set(source_);
      if (first_orphan() != kNoVertex && has_level_arcs_.load()) search_level_arcs();
    }
    const VertexId orphan = first_orphan();
    return orphan == kNoVertex ? right : unexpected(orphan, "which is not that of any path from the source");
  }

 private:
  static constexpr bool kCountsEdges = std::is_same_v<Distance, float>;

  bool is_reached(VertexId v) const { return distances_[v] != Weights::kUnreached; }

  Distance through(Distance distance, EdgeId e) const { return Weights::sum(distance, weights_.weight(words_[e])); }

  /// Returns the first arc that relaxes; marks the ends of tight arcs from a smaller distance.
  EdgeId relax_all() {
    return first_wrong_arc("distances", csr_, how_, [&](const RowPiece& piece) {
      if (!is_reached(piece.row)) return kNoArc;
      const Distance distance = distances_[piece.row];
      for (EdgeId e = piece.begin; e < piece.end; ++e) {
        if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(distances_ + neighbours_[e + kArcsAhead]);
        if (!Weights::allowed(weights_.weight(words_[e]))) refuse_weight(graph_, piece.row, e);
        const Distance sum = through(distance, e);
        const VertexId v = neighbours_[e];
        if (sum > distances_[v]) continue;
        if (sum < distances_[v]) return e;
        if (kCountsEdges) continue;  // paths are searched for after this pass
        if (distance < sum) {
          witnessed_.set(v);
        } else if (v != piece.row && !has_level_arcs_.load(std::memory_order_relaxed)) {
          has_level_arcs_.store(true, std::memory_order_relaxed);
        }
      }
      return kNoArc;
    });
  }

  VertexId first_orphan() {
    return first_wrong_vertex(graph_.num_vertices(), how_, [&](VertexId v) { return is_reached(v) && !witnessed_.test(v); });
  }

  /// Marks vertices at the end of u's tight arcs, between equal distances where `level`.
  void follow(VertexId u, EdgeId begin, EdgeId end, bool level, std::vector<VertexId>& found) {
    const Distance distance = distances_[u];
    for (EdgeId e = begin; e < end; ++e) {
      const VertexId v = neighbours_[e];
      if (level && distances_[v] != distance) continue;
      if (distances_[v] == through(distance, e) && witnessed_.set(v)) found.push_back(v);
    }
  }

  /// Goes on from vertices that were marked last, step by step. Returns the number of steps that marked any.
  std::uint64_t follow_from(std::vector<VertexId> reached, bool level) {
    constexpr std::size_t kListsAPiece = 64;
    PerThread<std::vector<VertexId>> found(how_.pool);
    std::uint64_t steps = 0;
    for (;; ++steps) {
      parallel_chunks(how_.pool, reached.size(), kListsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
        for (std::size_t i = begin; i < end; ++i)
          follow(reached[i], csr_.offsets[reached[i]], csr_.offsets[std::size_t{reached[i]} + 1], level, found[rank]);
      });
      reached = take(found);
      if (reached.empty()) return steps;
    }
  }

  /// Marks the vertices that tight arcs reach from the source. Returns the most edges of a path to any, each by the fewest.
  std::uint64_t search_tight_arcs() {
    const Progress progress("paths of tight arcs");
    witnessed_.set(source_);
    return follow_from({source_}, false);
  }

  /// Marks the vertices that tight arcs between equal distances reach from marked ones. Each list is scanned at most twice: in
  /// the pass that finds where to begin, and when its vertex is marked.
  void search_level_arcs() {
    PerThread<std::vector<VertexId>> found(how_.pool);
    first_wrong_arc("paths without length", csr_, how_, [&](const RowPiece& piece) {
      if (witnessed_.test(piece.row)) follow(piece.row, piece.begin, piece.end, true, found[piece.rank]);
      return kNoArc;
    });
    follow_from(take(found), true);
  }

  static std::vector<VertexId> take(PerThread<std::vector<VertexId>>& found) {
    std::vector<VertexId> all;
    for (auto& slot : found) {
      if (all.empty()) {
        all = std::move(slot.value);
      } else {
        all.insert(all.end(), slot.value.begin(), slot.value.end());
      }
      slot.value.clear();
    }
    return all;
  }

  Verdict unexpected(VertexId v, const char* but) const {
    return wrong("vertex {}: {}, {}", graph_.names.text(v), distance_name(distances_[v]), but);
  }

  Verdict relaxed(EdgeId e) const {
    const VertexId u = row_of_arc(csr_, e);
    return wrong("vertex {}: {}, but through vertex {} it has {}", graph_.names.text(neighbours_[e]),
                 distance_name(distances_[neighbours_[e]]), graph_.names.text(u), distance_name(through(distances_[u], e)));
  }

  const Graph& graph_;
  Weights weights_;
  const Csr& csr_;
  const VertexId* neighbours_;
  const std::uint32_t* words_;
  VertexId source_;
  const Distance* distances_;
  const Passes& how_;
  VertexBits witnessed_;                     ///< has a tight arc from a vertex that is nearer, or a path from one
  std::atomic<bool> has_level_arcs_{false};  ///< tight arcs between equal distances
};

template <class Weights>
Verdict check_distances(const Graph& graph, const SsspOutput& output, const Passes& how) {
  const auto* distances = std::get_if<std::vector<typename Weights::Distance>>(&output.distances);
  if (distances == nullptr) return wrong_type(output.distances, graph.weight_kind);
  if (graph.num_vertices() == 0) return {};
  return SsspProperties<Weights>(graph, output.source, *distances, how).check();
}

}  // namespace

Verdict check_sssp_properties(const Graph& graph, const SsspOutput& output, const Passes& how) {
  const VertexId n = graph.num_vertices();
  const std::size_t size = std::visit([](const auto& distances) { return distances.size(); }, output.distances);
  if (const Verdict sized = check_size("distances", size, n); !sized) return sized;
  if (const Verdict placed = check_source(output.source, n); !placed) return placed;
  require_weights(graph);
  if (graph.weight_kind != WeightKind::f32) return check_distances<WholeWeights>(graph, output, how);
  return std::holds_alternative<std::vector<float>>(output.distances) ? check_distances<FloatWeights<float>>(graph, output, how)
                                                                      : check_distances<FloatWeights<double>>(graph, output, how);
}

}  // namespace graphrun::verify::inline GR_IDS
