// SPDX-License-Identifier: Apache-2.0
// Functors of Louvain's method, for both executors.
#pragma once

#include <cstdint>
#include <type_traits>

#include "algorithms/word_weight.hpp"
#include "graphrun/algorithms/louvain.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::louvain::inline GR_IDS {

inline constexpr Slot kEmptySlot{kNoVertex, 0};
inline constexpr std::uint64_t kParts = 16;
inline constexpr std::uint64_t kHalves = 2;

// States of vertices.
inline constexpr std::uint32_t kIdle = 0;
inline constexpr std::uint32_t kActive = 1;    // a neighbour has joined another community
inline constexpr std::uint32_t kSelected = 2;  // chooses a community now

/// Weights in units.
struct UnitWeights {
  using Weight = NoWeight;
  GR_HD std::uint64_t operator()(NoWeight) const { return 1; }
};
struct ScaledWeights {
  using Weight = std::uint32_t;
  WordWeight weight_of;
  double scale;
  GR_HD std::uint64_t operator()(std::uint32_t word) const { return static_cast<std::uint64_t>(weight_of(word) * scale + 0.5); }
};

struct StartDegrees {
  Rows rows;
  std::uint64_t* degrees;
  bool weighted;
  GR_HD void operator()(std::size_t v) const { degrees[v] = weighted ? 0 : rows.degree(static_cast<VertexId>(v)); }
};

/// Adds up weights, and self loops once more; and how far the weights of both directions differ.
template <class Weights>
struct AddDegrees {
  using Weight = typename Weights::Weight;
  using Can = Capabilities<can::ExchangeLater>;
  Weights weights;
  std::uint64_t* degrees;
  VertexId* imbalance;
  std::uint64_t* loops;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, Weight word) const {
    if (is_weighted<Weight> || u == v) {
      const std::uint64_t weight = weights(word);
      const bool is_known = !is_weighted<Weight>;  // by the list's length
      atomics::fetch_add(degrees[u], u == v && !is_known ? 2 * weight : weight);
      if (u == v) atomics::fetch_add(*loops, 2 * weight);
      if (is_weighted<Weight> && u != v) atomics::fetch_add(imbalance[u], balance_of(u, v, weight));
    }
    return false;
  }
};

template <class T>
struct NumberOf {
  const T* numbers;
  GR_HD T operator()(std::size_t v) const { return numbers[v]; }
};

/// The addend of modularity that a vertex is by itself.
struct SquareShare {
  const std::uint64_t* degrees;
  double total;
  GR_HD double operator()(std::size_t v) const {
    const double share = static_cast<double>(degrees[v]) / total;
    return share * share;
  }
};

/// A table of slots.
struct Table {
  EdgeId begin;
  EdgeId size;
};

/// The tables of the vertices of one part: 3 slots for 2 edges, and one more.
struct VertexTables {
  const EdgeId* offsets;
  const EdgeId* bases;
  int shift;  ///< of ids to tiles

  GR_HD EdgeId slots_before(std::uint64_t v) const { return offsets[v] + offsets[v] / 2 + v; }
  GR_HD Table of(VertexId v) const {
    const std::uint64_t tile = v >> shift;
    const EdgeId begin = slots_before(v);
    return {bases[tile] + begin - slots_before(tile << shift), slots_before(std::uint64_t{v} + 1) - begin};
  }
};

/// The tables of communities from one on, by its members.
struct CommunityTables {
  const VertexId* numbers;
  const EdgeId* begins;
  EdgeId base;

  GR_HD Table of(VertexId v) const {
    const EdgeId begin = begins[numbers[v]];
    return {begin - base, begins[numbers[v] + 1] - begin};
  }
};

struct CountSlots {
  VertexTables tables;
  std::uint64_t vertices;
  EdgeId* slots;  ///< of each tile
  GR_HD void operator()(std::size_t tile) const {
    const std::uint64_t first = tile << tables.shift;
    const std::uint64_t end = (tile + 1) << tables.shift;
    slots[tile] = tables.slots_before(end < vertices ? end : vertices) - tables.slots_before(first);
  }
};

/// A vertex and its table.
struct Row {
  VertexId vertex;
  Table table;
};

/// Adds the weight of each edge to its neighbour's community in the table of its vertex. A host thread looks the table up once a
/// list; lanes of a GPU give each other a word.
template <class Exec, class Weights, class Tables>
struct Tally {
  using Weight = typename Weights::Weight;
  using Can = Capabilities<can::ExchangeLater>;
  using Source = std::conditional_t<std::is_same_v<Exec, CpuExecutor>, Row, VertexId>;
  Weights weights;
  Tables tables;
  Slot* slots;
  const VertexId* labels;
  std::uint64_t loops;  ///< how often a self loop counts

  GR_HD Source source(VertexId u) const {
    if constexpr (std::is_same_v<Source, Row>)
      return {u, tables.of(u)};
    else
      return u;
  }
  GR_HD bool operator()(const Source& from, VertexId v, Weight word) const {
    if constexpr (std::is_same_v<Source, Row>)
      tally(from, v, word);
    else
      tally({from, tables.of(from)}, v, word);
    return false;
  }

 private:
  GR_HD void tally(const Row& row, VertexId v, Weight word) const {
    const std::uint64_t weight = weights(word) * (v == row.vertex ? loops : 1);
    if (weight != 0) add_to_table(slots + row.table.begin, row.table.size, labels[v], weight);
  }
};

struct ListLongTables {
  VertexTables tables;
  TablePiece* pieces;  ///< null: only counts them
  EdgeId* listed;

  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const Table table = tables.of(v);
    if (table.size <= kLongTable) return;
    const EdgeId count = (table.size + kPieceSlots - 1) / kPieceSlots;
    const std::uint64_t head = atomics::fetch_add(*listed, count);
    for (EdgeId k = 0; pieces != nullptr && k < count; ++k) pieces[head + k] = {v, table.begin + k * kPieceSlots, head};
  }
};

/// Selects the active vertices of a part, and of a half that is another one in each sweep.
struct Select {
  std::uint64_t vertices;
  int shift;
  std::uint64_t part;
  std::uint64_t half;
  std::uint64_t sweep;
  std::uint32_t* states;
  VertexId* next;
  BitmapRef selected;

  /// Tiles take turns in being of a part.
  GR_HD std::uint64_t places() const {
    const std::uint64_t tiles = (vertices + (std::uint64_t{1} << shift) - 1) >> shift;
    return (tiles + kParts - 1 - part) / kParts << shift;
  }
  GR_HD void operator()(std::size_t place) const {
    const std::uint64_t v = (((place >> shift) * kParts + part) << shift) + (place & ((std::uint64_t{1} << shift) - 1));
    if (v >= vertices || states[v] != kActive || splitmix64(v ^ sweep << 48) % kHalves != half) return;
    states[v] = kSelected;
    next[v] = kNoVertex;
    selected.set(static_cast<VertexId>(v));
  }
};

/// State of vertices while some of them choose.
struct Choosing {
  VertexTables tables;
  Slot* slots;
  const std::uint64_t* degrees;
  std::uint64_t* totals;
  VertexId* labels;
  VertexId* next;
  std::uint32_t* states;
  double per_degree;  ///< resolution / weight at all vertices

  /// Returns the weight from a vertex to its own community.
  GR_HD std::uint64_t weight_to_own(VertexId v, const Table& table) const {
    EdgeId at = first_slot_of(labels[v], table.size);
    for (EdgeId looks = 0; looks < table.size; ++looks) {
      const Slot& slot = slots[table.begin + at];
      if (slot.label == labels[v]) return slot.count;
      if (slot.label == kNoVertex) break;
      if (++at == table.size) at = 0;
    }
    return 0;
  }
};

/// What moves of one vertex gain.
struct Gains {
  const Choosing& all;
  VertexId own;
  std::uint64_t own_weight;
  std::uint64_t rest;  ///< of the own community's degrees
  double factor;

  GR_HD Gains(const Choosing& choosing, VertexId v, std::uint64_t weight_to_own)
      : all(choosing),
        own(choosing.labels[v]),
        own_weight(weight_to_own),
        rest(choosing.totals[own] - choosing.degrees[v]),
        factor(choosing.per_degree * static_cast<double>(choosing.degrees[v])) {}

  /// Returns the gain of joining a community, in units of weight; 0 for none. Of two vertices by themselves only the larger one
  /// may join the other: both would change places.
  GR_HD double of(const Slot& slot) const {
    if (slot.count == 0 || slot.label == own) return 0;
    const double more = difference(slot.count, own_weight);
    const std::uint64_t total = all.totals[slot.label];
    const double gain = more - product(factor, difference(total, rest));
    if (rest == 0 && slot.label > own && all.labels[slot.label] == slot.label && total == all.degrees[slot.label]) return 0;
    return gain > 0 ? gain : 0;
  }

 private:
  GR_HD static double difference(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(static_cast<std::int64_t>(a - b));
  }
  /// Rounds the product, as without a fused operation: all devices choose alike.
  GR_HD static double product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
  }
};

/// Chooses the community of the largest gain, the smallest label of several, and empties the table; not of long tables.
struct Choose : Choosing {
  GR_HD void operator()(VertexId v) const {
    const Table table = tables.of(v);
    if (table.size > kLongTable) return;
    const Gains gains(*this, v, weight_to_own(v, table));
    double best = 0;
    VertexId to = kNoVertex;
    for (EdgeId s = table.begin; s < table.begin + table.size; ++s) {
      const Slot slot = slots[s];
      if (slot.label == kNoVertex) continue;
      slots[s] = kEmptySlot;
      const double gain = gains.of(slot);
      if (gain < best || gain == 0 || (gain == best && slot.label > to)) continue;
      best = gain;
      to = slot.label;
    }
    next[v] = to;
  }
};

/// A long table in two passes: its largest gain, then the smallest label that has it.
struct OfLongTables : Choosing {
  const TablePiece* pieces;
  LongMove* moves;

  /// Calls visit(slot, gain) for the slots of piece i, if its vertex chooses.
  template <class Visit>
  GR_HD void visit_slots(std::size_t i, const Visit& visit) const {
    const TablePiece& piece = pieces[i];
    const Gains gains(*this, piece.vertex, moves[piece.head].own);
    const Table table = tables.of(piece.vertex);
    const EdgeId end = table.begin + table.size;
    const EdgeId last = end - piece.begin < kPieceSlots ? end : piece.begin + kPieceSlots;
    for (EdgeId s = piece.begin; s < last; ++s) visit(slots[s], gains.of(slots[s]));
  }
  GR_HD bool chooses(std::size_t i) const { return states[pieces[i].vertex] == kSelected; }
};

struct FindOwn : OfLongTables {
  GR_HD void operator()(std::size_t i) const {
    const TablePiece& piece = pieces[i];
    if (piece.head == i && chooses(i)) moves[i] = {0, weight_to_own(piece.vertex, tables.of(piece.vertex))};
  }
};

struct FindBest : OfLongTables {
  GR_HD void operator()(std::size_t i) const {
    if (!chooses(i)) return;
    double best = 0;
    visit_slots(i, [&](const Slot&, double gain) { best = gain > best ? gain : best; });
    if (best != 0) atomics::fetch_max(moves[pieces[i].head].gain, best);
  }
};

struct ChooseLong : OfLongTables {
  GR_HD void operator()(std::size_t i) const {
    if (!chooses(i)) return;
    const double best = moves[pieces[i].head].gain;
    VertexId smallest = kNoVertex;
    visit_slots(i, [&](Slot& slot, double gain) {
      if (gain != 0 && gain == best && slot.label < smallest) smallest = slot.label;
      slot = kEmptySlot;
    });
    if (smallest != kNoVertex) atomics::fetch_min(next[pieces[i].vertex], smallest);
  }
};

/// Moves a vertex to the community that it chose.
struct Move : Choosing {
  BitmapRef moved;
  GR_HD void operator()(VertexId v) const {
    states[v] = kIdle;
    const VertexId to = next[v];
    if (to == kNoVertex) return;
    atomics::fetch_add(totals[labels[v]], 0 - degrees[v]);
    atomics::fetch_add(totals[to], degrees[v]);
    labels[v] = to;
    moved.set(v);
  }
};

/// Makes neighbours active that are not of the community which a vertex has joined.
struct Activate {
  using Weight = NoWeight;
  using Can = Capabilities<can::Share>;
  const VertexId* labels;
  std::uint32_t* states;

  GR_HD VertexId source(VertexId u) const { return labels[u]; }
  GR_HD bool operator()(VertexId label, VertexId v, NoWeight) const { return labels[v] != label && take(v, kActive); }
  GR_HD std::uint32_t state(VertexId v) const { return atomics::load(states[v]); }
  GR_HD bool take(VertexId v, std::uint32_t state) const {
    return atomics::load(states[v]) != state && atomics::exchange(states[v], state) != state;
  }
};

struct StartAlone {
  VertexId* labels;
  GR_HD void operator()(std::size_t v) const { labels[v] = static_cast<VertexId>(v); }
};

struct StartActive {
  const std::uint64_t* degrees;
  std::uint32_t* states;
  GR_HD void operator()(std::size_t v) const { states[v] = degrees[v] == 0 ? kIdle : kActive; }
};

/// Adds numbers of vertices up by their labels.
struct AddByLabel {
  const VertexId* labels;
  const std::uint64_t* numbers;
  std::uint64_t* sums;
  GR_HD void operator()(std::size_t v) const {
    if (numbers[v] != 0) atomics::fetch_add(sums[labels[v]], numbers[v]);
  }
};

struct CountEdges {
  Rows rows;
  const VertexId* labels;
  std::uint64_t* edges;
  GR_HD void operator()(std::size_t v) const {
    const EdgeId degree = rows.degree(static_cast<VertexId>(v));
    if (degree != 0) atomics::fetch_add(edges[labels[v]], std::uint64_t{degree});
  }
};

struct HasNumberWithin {
  const VertexId* numbers;
  VertexId first;
  VertexId last;
  GR_HD bool operator()(VertexId v) const { return first <= numbers[v] && numbers[v] < last; }
};

}  // namespace graphrun::louvain::inline GR_IDS
