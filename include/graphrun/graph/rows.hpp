// SPDX-License-Identifier: Apache-2.0
// Rows: the lists that a worker traverses. CSR and balanced CSR are one type.
//
// In plain CSR a work item is a vertex with its whole list. In balanced CSR (GPUVM, section 5.2) a list longer than
// `chunk_edges` is cut, so that no item has more edges than a chunk; short lists stay as they are. Only the cut lists
// need a table, which is tiny: at most num_edges / chunk_edges + number of hubs entries.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// Edges [begin, end) of vertex v's list.
struct WorkItem {
  VertexId vertex;
  EdgeId begin;
  EdgeId end;
};

/// `chunk_edges` of plain CSR: no list is ever cut.
inline constexpr EdgeId kUncut = ~EdgeId{0};

/// One GPU's part of the rows: groups of 32 vertices, and the pieces of their cut lists. A single GPU has all of them.
struct OwnRows {
  std::uint64_t first_group = 0;
  std::uint64_t groups = 0;
  std::uint64_t first_chunk = 0;
  std::uint64_t chunks = 0;

  GR_HD std::uint64_t first_vertex() const { return first_group * 32; }
  GR_HD std::uint64_t tasks() const { return groups + chunks; }
};

/// Offsets and pieces of lists. Trivially copyable; the pointers are the executor's (device memory on a GPU).
struct Rows {
  const EdgeId* offsets = nullptr;  ///< num_vertices + 1
  VertexId num_vertices = 0;
  EdgeId chunk_edges = kUncut;
  const HubChunk* hub_chunks = nullptr;  ///< all pieces of all cut lists, ascending
  std::uint64_t num_hub_chunks = 0;
  OwnRows own = {};  ///< on a GPU; host threads walk the part of their executor

  GR_HD EdgeId degree(VertexId v) const { return offsets[v + 1] - offsets[v]; }
  /// Returns the number of vertices of `own`.
  GR_HD std::uint64_t own_vertices() const {
    if (own.groups == 0) return 0;
    const std::uint64_t behind = own.first_vertex() + own.groups * 32;
    return (behind < num_vertices ? behind : num_vertices) - own.first_vertex();
  }
  GR_HD bool owns(std::uint64_t v) const { return v - own.first_vertex() < own_vertices(); }
  GR_HD bool is_cut(EdgeId degree) const { return degree > chunk_edges; }
  /// Returns the number of pieces of a list of this length; at least 1.
  GR_HD EdgeId pieces(EdgeId degree) const { return is_cut(degree) ? (degree + chunk_edges - 1) / chunk_edges : 1; }
  /// Returns piece `k` of v's list.
  GR_HD WorkItem piece(VertexId v, EdgeId k) const {
    const EdgeId first = offsets[v];
    const EdgeId last = offsets[v + 1];
    if (chunk_edges == kUncut) return {v, first, last};
    const EdgeId begin = first + k * chunk_edges;
    return {v, begin, last - begin > chunk_edges ? begin + chunk_edges : last};
  }
  GR_HD WorkItem hub_item(std::uint64_t index) const {
    const HubChunk chunk = hub_chunks[index];
    const EdgeId last = offsets[chunk.vertex + 1];
    return {static_cast<VertexId>(chunk.vertex), chunk.begin,
            last - chunk.begin > chunk_edges ? chunk.begin + chunk_edges : last};
  }
  /// Returns the index of the piece that begins with edge `begin` of v's list.
  GR_HD std::uint64_t hub_index(VertexId v, EdgeId begin) const {
    std::uint64_t low = 0;
    for (std::uint64_t count = num_hub_chunks; count > 0;) {  // hub_chunks[low - 1] is below v's first, [low + count] is not
      const std::uint64_t half = count / 2;
      const bool below = hub_chunks[low + half].vertex < v;
      low = below ? low + half + 1 : low;
      count = below ? count - half - 1 : half;
    }
    return low + (begin - offsets[v]) / chunk_edges;
  }
};

/// Returns the pieces of every list longer than `chunk_edges`, in the order of the edge list.
std::vector<HubChunk> cut_hubs(const Csr& csr, EdgeId chunk_edges, ThreadPool& pool);

/// Returns the same for one side of `graph`, from its stored table when that has chunks of this size.
std::vector<HubChunk> hub_chunks_of(const Graph& graph, const Csr& side, EdgeId chunk_edges, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
