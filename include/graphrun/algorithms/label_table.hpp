// SPDX-License-Identifier: Apache-2.0
// Hash tables of the labels of a vertex's neighbours, which edges fill in any order and by any thread. A table has more slots
// than its vertex has edges, so that looking for a label ends. Label propagation and Louvain's method choose from them.
#pragma once

#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

inline constexpr EdgeId kLongTable = 4096;   // slots; longer tables are searched by several threads
inline constexpr EdgeId kPieceSlots = 1024;  // of a long table, that one thread searches

/// Slots of a long table, from slot `begin` of all tables on.
struct TablePiece {
  VertexId vertex;
  EdgeId begin;
  std::uint64_t head;  ///< the first piece of the same table
};

/// Returns the first slot to look at. Fibonacci hashing; the upper half of the product of hash and size is below the size.
GR_HD inline EdgeId first_slot_of(VertexId label, EdgeId size) {
  constexpr EdgeId kMost = 0xffffffffu;
  const std::uint64_t hash = (std::uint64_t{label} * 0x9e3779b97f4a7c15ull) >> 32;
  return hash * (size < kMost ? size : kMost) >> 32;
}

/// Adds `amount` to the count of a label. `Slot` has a label, which is kNoVertex in an empty slot, and a count.
template <class Slot, class Amount>
GR_HD inline void add_to_table(Slot* table, EdgeId size, VertexId label, Amount amount) {
  EdgeId at = first_slot_of(label, size);
  for (EdgeId looks = 0; looks < size; ++looks) {
    Slot& slot = table[at];
    VertexId there = atomics::load(slot.label);
    if (there == kNoVertex) there = atomics::compare_exchange(slot.label, kNoVertex, label) ? label : atomics::load(slot.label);
    if (there == label) {
      atomics::fetch_add(slot.count, amount);
      return;
    }
    if (++at == size) at = 0;
  }
}

}  // namespace graphrun::inline GR_IDS
