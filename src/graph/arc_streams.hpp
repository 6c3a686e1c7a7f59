// SPDX-License-Identifier: Apache-2.0
// Sources of arcs for a graph under construction. visit(begin, end, sink) calls sink(source, target, weight) for each arc of some
// items; the weight is 0 where there is none. A stream owns its memory. release(begin, end): these items are not visited soon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::inline GR_IDS {

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

  void release(std::size_t begin, std::size_t end) const {
    list.sources.release(begin, end);
    list.targets.release(begin, end);
    if (!list.weights.empty()) list.weights.release(begin, end);
  }
};

/// Directions in which the arcs of a Csr are taken.
enum class Taken { forwards, backwards, both_ways };

/// The arcs of a Csr, in its order.
struct StoredArcs {
  Csr csr;
  Taken taken = Taken::forwards;
  bool drop_self_loops = false;
  Column<VertexId> new_ids = {};  ///< a vertex's other name, or empty

  std::size_t size() const { return csr.num_edges(); }
  std::size_t expected_arcs() const { return taken == Taken::both_ways ? 2 * size() : size(); }

  template <class Sink>
  void visit(std::size_t begin, std::size_t end, const Sink& sink) const {
    if (begin == end) return;
    const EdgeId* offsets = csr.offsets.data();
    const std::uint32_t* weights = csr.weights.empty() ? nullptr : csr.weights.data();
    const VertexId* names = new_ids.empty() ? nullptr : new_ids.data();
    // The last row that starts at or before `begin` is the one that holds it: empty rows end where they start.
    auto row = static_cast<VertexId>(std::upper_bound(offsets, offsets + csr.offsets.size(), begin) - offsets - 1);
    for (EdgeId e = begin; e < end; ++e) {
      while (e >= offsets[row + 1]) ++row;
      const VertexId neighbour = csr.neighbours[e];
      const bool loop = row == neighbour;
      if (loop && drop_self_loops) continue;
      const VertexId u = names == nullptr ? row : names[row];
      const VertexId v = names == nullptr ? neighbour : names[neighbour];
      const std::uint32_t weight = weights == nullptr ? 0 : weights[e];
      if (taken != Taken::backwards) sink(u, v, weight);
      if (taken == Taken::backwards || (taken == Taken::both_ways && !loop)) sink(v, u, weight);
    }
  }

  void release(std::size_t begin, std::size_t end) const {
    csr.neighbours.release(begin, end);
    if (!csr.weights.empty()) csr.weights.release(begin, end);
    csr.offsets.release(0, csr.offsets.size());
  }
};

}  // namespace graphrun::inline GR_IDS
