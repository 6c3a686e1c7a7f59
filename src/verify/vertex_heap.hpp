// SPDX-License-Identifier: Apache-2.0
// The priority queue of Dijkstra's algorithm: each vertex is in it at most once, so it takes two ids a vertex, however often keys
// fall. A heap whose stale entries are skipped takes an entry for each relaxation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::verify::inline GR_IDS {

/// Vertices by ascending key; keys[v] belongs to the caller, who may lower it between calls. A heap of four children a node.
template <class Key>
class VertexHeap {
 public:
  /// Refers to `keys`, a key a vertex, which outlive the heap.
  explicit VertexHeap(const std::vector<Key>& keys) : keys_(keys.data()), places_(keys.size(), kNoVertex) {
    heap_.reserve(keys.size());
  }

  bool empty() const { return heap_.empty(); }

  /// Moves v to the place of its key, once the key was set or lowered.
  void place(VertexId v) {
    if (places_[v] == kNoVertex) {
      places_[v] = static_cast<VertexId>(heap_.size());
      heap_.push_back(v);
    }
    std::size_t at = places_[v];
    for (; at != 0 && keys_[v] < keys_[heap_[(at - 1) / kChildren]]; at = (at - 1) / kChildren)
      put(heap_[(at - 1) / kChildren], at);
    put(v, at);
  }

  /// Takes a vertex of smallest key. Precondition: not empty.
  VertexId pop() {
    const VertexId taken = heap_.front();
    const VertexId last = heap_.back();
    heap_.pop_back();
    places_[taken] = kNoVertex;
    if (heap_.empty()) return taken;
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = kChildren * at + 1) {
      const std::size_t end = std::min(child + kChildren, heap_.size());
      std::size_t least = child;
      while (++child < end) least = keys_[heap_[child]] < keys_[heap_[least]] ? child : least;
      if (!(keys_[heap_[least]] < keys_[last])) break;
      put(heap_[least], at);
      at = least;
    }
    put(last, at);
    return taken;
  }

 private:
  static constexpr std::size_t kChildren = 4;

  void put(VertexId v, std::size_t at) {
    heap_[at] = v;
    places_[v] = static_cast<VertexId>(at);
  }

  const Key* keys_;
  std::vector<VertexId> heap_;
  std::vector<VertexId> places_;  ///< of each vertex in `heap_`; kNoVertex: it is not there
};

}  // namespace graphrun::verify::inline GR_IDS
