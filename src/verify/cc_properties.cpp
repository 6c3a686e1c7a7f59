// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "verify/arc_pass.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Disjoint sets that all threads unite without locks (Anderson and Woll, "Wait-free Parallel Algorithms for the Union-Find
/// Problem", STOC 1991): a root is hung below a smaller one by one compare-and-exchange, so that nothing hangs below a larger
/// vertex and the smallest of a set is its root in the end.
class SharedSets {
 public:
  explicit SharedSets(VertexId n, const Passes& how) : above_(Column<VertexId>::allocate(n)) {
    parallel_for(how.pool, n, [&](std::size_t v) { above_[v] = static_cast<VertexId>(v); });
  }

  const VertexId* above() const { return above_.data(); }

  /// Finds a root, and halves the path to it. Another thread may change the path meanwhile: any vertex above will do.
  VertexId root(VertexId v) {
    for (;;) {
      const VertexId up = atomics::load(above_[v]);
      if (up == v) return v;
      const VertexId next = atomics::load(above_[up]);
      if (next == up) return up;
      atomics::store(above_[v], next);
      v = next;
    }
  }

  /// Unites the sets of `a` and `b`. Returns a vertex above both, `a` where that is one.
  VertexId unite(VertexId a, VertexId b) {
    if (atomics::load(above_[b]) == a) return a;
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return a;
      if (a > b) std::swap(a, b);
      if (atomics::compare_exchange(above_[b], b, a)) return a;
    }
  }

 private:
  Column<VertexId> above_;
};

}  // namespace

Verdict check_cc_properties(const Graph& graph, const CcOutput& output, const Passes& how) {
  const Csr& csr = graph.out;
  const VertexId n = graph.num_vertices();
  const std::vector<VertexId>& labels = output.labels;
  const auto name = [&](VertexId v) { return graph.names.text(v); };
  if (const Verdict sized = check_size("labels", labels.size(), n); !sized) return sized;
  const VertexId* neighbours = csr.neighbours.data();
  SharedSets sets(n, how);
  first_wrong_arc("uniting ends of arcs", csr, how, [&](const RowPiece& piece) {
    VertexId above = sets.root(piece.row);
    for (EdgeId e = piece.begin; e < piece.end; ++e) {
      if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(sets.above() + neighbours[e + kArcsAhead]);
      above = sets.unite(above, neighbours[e]);
    }
    return kNoArc;
  });
  const VertexId bad = first_wrong_vertex(n, how, [&](VertexId v) {
    const VertexId first = sets.root(v);
    return labels[v] >= n || labels[v] != labels[first] || sets.root(labels[v]) != first;
  });
  if (bad == kNoVertex) return {};
  const VertexId first = sets.root(bad);  // the smallest of its component, which has no worse a label
  const VertexId label = labels[bad];
  if (label >= n) return wrong("vertex {}: label {} is not below the number of vertices, {}", name(bad), label, n);
  if (sets.root(label) != first)
    return wrong("vertex {}: label {} is a vertex of another component (that of {}, not that of {})", name(bad), name(label),
                 name(sets.root(label)), name(first));
  const VertexId other = labels[first];
  return wrong("vertex {}: label {}, but vertex {} of the same component has {}", name(bad), name(label), name(first),
               name(other));
}

}  // namespace graphrun::verify::inline GR_IDS
