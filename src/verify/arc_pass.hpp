// SPDX-License-Identifier: Apache-2.0
// Passes of all threads over the arcs of a graph, in storage order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/verify/properties.hpp"

namespace graphrun::verify::inline GR_IDS {

inline constexpr EdgeId kNoArc = kNoIndex;

/// Arcs [begin, end) of one row: the whole row, or a piece's part of it.
struct RowPiece {
  VertexId row;
  EdgeId begin;
  EdgeId end;
  EdgeId piece;      ///< number of the piece
  EdgeId piece_end;  ///< of the piece; all of it may be read ahead
  int rank;          ///< of the thread
};

/// Distance of prefetches in arcs: their targets are all over the state's arrays.
inline constexpr EdgeId kArcsAhead = 24;

/// Returns the row that holds arc e.
inline VertexId row_of_arc(const Csr& csr, EdgeId e) {
  const EdgeId* offsets = csr.offsets.data();
  return static_cast<VertexId>(std::upper_bound(offsets, offsets + csr.offsets.size(), e) - offsets - 1);
}

/// Returns the arcs of a piece: a few dozen pieces a thread, so that the last ones end together, but at most a few MiB.
inline EdgeId arcs_a_piece(EdgeId num_arcs, const Passes& how) {
  constexpr EdgeId kPiecesAThread = 32;
  constexpr EdgeId kFewest = EdgeId{1} << 14;
  constexpr EdgeId kMost = EdgeId{1} << 20;
  if (how.piece_edges != 0) return how.piece_edges;
  return std::clamp(num_arcs / (kPiecesAThread * static_cast<EdgeId>(how.pool.size())), kFewest, kMost);
}

/// Calls body(row_piece), which returns its first wrong arc or kNoArc, for all rows that have arcs. Returns the first wrong arc;
/// later arcs may have been left out. Kept apart from `stage`, which progress shows.
template <class Body>
EdgeId first_wrong_arc(const char* stage, const Csr& csr, const Passes& how, const Body& body) {
  const EdgeId m = csr.num_edges();
  const EdgeId step = arcs_a_piece(m, how);
  const EdgeId* offsets = csr.offsets.data();
  Progress progress(stage, m);
  FirstIndex first;
  const auto look_at = [&](EdgeId begin, EdgeId end, int rank) {
    VertexId row = row_of_arc(csr, begin);
    for (EdgeId e = begin; e < end; ++row) {
      const EdgeId row_end = std::min(offsets[std::size_t{row} + 1], end);
      if (row_end == e) continue;
      const EdgeId wrong = body(RowPiece{row, e, row_end, begin / step, end, rank});
      if (wrong != kNoArc) return first.report(wrong);
      e = row_end;
    }
  };
  parallel_chunks(how.pool, m, step, [&](std::size_t chunk_begin, std::size_t chunk_end, int rank) {
    for (EdgeId begin = chunk_begin; begin < chunk_end && begin < first.get(); begin += step) {
      const EdgeId end = std::min<EdgeId>(begin + step, chunk_end);
      look_at(begin, end, rank);
      progress.advance(end - begin);
      if (!how.release) continue;
      csr.neighbours.release(begin, end);
      if (!csr.weights.empty()) csr.weights.release(begin, end);
    }
  });
  return first.get();
}

/// Returns the smallest v below n for which is_wrong(v), or kNoVertex.
template <class IsWrong>
VertexId first_wrong_vertex(VertexId n, const Passes& how, const IsWrong& is_wrong) {
  FirstIndex first;
  parallel_chunks(how.pool, n, kDefaultGrain, [&](std::size_t begin, std::size_t end, int) {
    if (begin > first.get()) return;
    for (std::size_t v = begin; v < end; ++v) {
      if (is_wrong(static_cast<VertexId>(v))) return first.report(v);
    }
  });
  return static_cast<VertexId>(first.get());
}

/// A bit a vertex, which all threads may set.
class VertexBits {
 public:
  explicit VertexBits(VertexId n) : words_(Column<std::uint64_t>::allocate(n / kBits + 1)) {}

  bool test(VertexId v) const { return (atomics::load(words_[v / kBits]) & bit(v)) != 0; }
  /// Sets the bit; returns true to the one caller that changed it.
  bool set(VertexId v) { return !test(v) && (atomics::fetch_or(words_[v / kBits], bit(v)) & bit(v)) == 0; }

 private:
  static constexpr VertexId kBits = 64;
  static std::uint64_t bit(VertexId v) { return std::uint64_t{1} << (v % kBits); }

  Column<std::uint64_t> words_;
};

}  // namespace graphrun::verify::inline GR_IDS
