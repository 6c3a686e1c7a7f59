// Where the arcs of a graph under construction come from. Each stream offers visit(begin, end, sink) over its items, which
// calls sink(source, target, weight) for each arc; the weight is 0 where there is none. Streams own what they read, so
// that dropping one gives its memory back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun {

/// The entries of an EdgeList.
struct ListedArcs {
  EdgeList list;
  bool mirror;  ///< each entry stands for both directions
  bool drop_self_loops;

  std::size_t size() const { return list.sources.size(); }
  std::size_t expected_arcs() const { return mirror ? 2 * size() : size(); }

  template <class Sink>
  void visit(std::size_t begin, std::size_t end, const Sink& sink) const {
    const VertexId* sources = list.sources.data();
    const VertexId* targets = list.targets.data();
    const std::uint32_t* weights = list.weights.empty() ? nullptr : list.weights.data();
    for (std::size_t i = begin; i < end; ++i) {
      const VertexId u = sources[i];
      const VertexId v = targets[i];
      if (drop_self_loops && u == v) continue;
      const std::uint32_t weight = weights == nullptr ? 0 : weights[i];
      sink(u, v, weight);
      if (mirror && u != v) sink(v, u, weight);
    }
  }
};

/// The arcs of a Csr, in its order, reversed and perhaps as they are too.
struct StoredArcs {
  Csr csr;
  bool both;  ///< false: reversed only

  std::size_t size() const { return csr.num_edges(); }
  std::size_t expected_arcs() const { return both ? 2 * size() : size(); }

  template <class Sink>
  void visit(std::size_t begin, std::size_t end, const Sink& sink) const {
    if (begin == end) return;
    const EdgeId* offsets = csr.offsets.data();
    const std::uint32_t* weights = csr.weights.empty() ? nullptr : csr.weights.data();
    // The last row that starts at or before `begin` is the one that holds it: empty rows end where they start.
    auto u = static_cast<VertexId>(std::upper_bound(offsets, offsets + csr.offsets.size(), begin) - offsets - 1);
    for (EdgeId e = begin; e < end; ++e) {
      while (e >= offsets[u + 1]) ++u;
      const VertexId v = csr.neighbours[e];
      const std::uint32_t weight = weights == nullptr ? 0 : weights[e];
      sink(v, u, weight);
      if (both && u != v) sink(u, v, weight);
    }
  }
};

}  // namespace graphrun
