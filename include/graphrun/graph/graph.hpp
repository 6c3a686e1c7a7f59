// A graph in memory, as loaders make it and backends take it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/column.hpp"

namespace graphrun {

class ThreadPool;

/// Compressed sparse rows: the neighbours of v are neighbours[offsets[v] .. offsets[v+1]).
///
/// Parallel arcs and self loops are allowed and count. Lists need not be sorted.
struct Csr {
  Column<EdgeId> offsets;          ///< n+1 values, non-decreasing, the first 0, the last m.
  Column<VertexId> neighbours;     ///< m vertex ids, each below n.
  Column<std::uint32_t> weights;   ///< m words, or empty. What they hold: Graph::weight_kind.

  VertexId num_vertices() const { return offsets.empty() ? 0 : static_cast<VertexId>(offsets.size() - 1); }
  EdgeId num_edges() const { return neighbours.size(); }
  EdgeId degree(VertexId v) const { return offsets[v + 1] - offsets[v]; }
};

/// A directed graph and, when somebody built it, its transpose. An undirected graph is one whose arcs all have their
/// opposite (`symmetric`); it is its own transpose.
struct Graph {
  std::string name;                  ///< file name or generator, for results
  Csr out;                           ///< arcs u -> v stored at u
  std::optional<Csr> in;             ///< arcs u -> v stored at v, without weights; absent when symmetric or not built
  bool symmetric = false;
  WeightKind weight_kind = WeightKind::none;

  VertexId num_vertices() const { return out.num_vertices(); }
  EdgeId num_edges() const { return out.num_edges(); }
  /// In-neighbours of every vertex, or null when the graph is directed and the transpose was not built.
  const Csr* transpose() const { return symmetric ? &out : in ? &*in : nullptr; }
};

/// Throws DataError, naming `where`, unless offsets and neighbours fit together as Csr says. Reads all of both.
void check_csr(const Csr& csr, const std::string& where, ThreadPool& pool);

/// Vertex of largest out-degree, the smallest id on ties. Precondition: at least one vertex.
VertexId max_degree_vertex(const Csr& csr, ThreadPool& pool);

}  // namespace graphrun
