// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "verify/arc_pass.hpp"
#include "verify/bfs_parents.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {

namespace {

constexpr EdgeId kArcsABlock = 32;

}  // namespace

Verdict check_bfs_properties(const Graph& graph, const BfsOutput& output, const Passes& how) {
  const Csr& csr = graph.out;
  const VertexNames& names = graph.names;
  const VertexId n = graph.num_vertices();
  const VertexId source = output.source;
  if (const Verdict sized = check_size("levels", output.levels.size(), n); !sized) return sized;
  if (const Verdict sized = check_size("parents", output.parents.size(), n); !sized) return sized;
  if (const Verdict placed = check_source(source, n); !placed) return placed;
  if (n == 0) return {};
  if (output.levels[source] != 0)
    return wrong("vertex {}: {}, expected level 0", names.text(source), level_name(output.levels[source]));

  const std::uint32_t* levels = output.levels.data();
  const VertexId* parents = output.parents.data();
  const VertexId* neighbours = csr.neighbours.data();
  VertexBits has_arc(n);  // parents[v] -> v is an arc that leads one level down
  const EdgeId bad = first_wrong_arc("levels and parents", csr, how, [&](const RowPiece& piece) {
    if (levels[piece.row] == kUnreachedLevel) return kNoArc;
    const std::uint64_t next = std::uint64_t{levels[piece.row]} + 1;
    // Which arcs lead down is hard to predict: they are put aside without a branch, some at a time.
    EdgeId down[kArcsABlock];
    for (EdgeId begin = piece.begin; begin < piece.end; begin += kArcsABlock) {
      const EdgeId end = std::min(begin + kArcsABlock, piece.end);
      std::size_t count = 0;
      for (EdgeId e = begin; e < end; ++e) {
        if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(levels + neighbours[e + kArcsAhead]);
        down[count] = e;
        count += levels[neighbours[e]] >= next ? 1 : 0;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const VertexId v = neighbours[down[i]];
        if (levels[v] > next || levels[v] == kUnreachedLevel) return down[i];
        if (!has_arc.test(v) && parents[v] == piece.row) has_arc.set(v);  // the bits stay in a cache, parents do not
      }
    }
    return kNoArc;
  });
  if (bad != kNoArc) {
    const VertexId u = row_of_arc(csr, bad);
    const VertexId v = neighbours[bad];
    return wrong("vertex {}: {}, but an arc from vertex {} at level {} leads there", names.text(v), level_name(levels[v]),
                 names.text(u), levels[u]);
  }
  const VertexId orphan = first_wrong_vertex(n, how, [&](VertexId v) {
    if (v == source) return parents[v] != source;
    return levels[v] == kUnreachedLevel ? parents[v] != kNoVertex : !has_arc.test(v);
  });
  return orphan == kNoVertex ? Verdict{} : check_parent(output, orphan, false, names);
}

}  // namespace graphrun::verify::inline GR_IDS
