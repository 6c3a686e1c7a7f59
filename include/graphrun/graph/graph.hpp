// SPDX-License-Identifier: Apache-2.0
// A graph in memory, as loaders make it and backends take it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/names.hpp"
#include "graphrun/graph/packed.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun {
class ThreadPool;
}  // namespace graphrun

namespace graphrun {

template <>
struct ChoicesOf<WeightKind> {
  static constexpr const char* kWhat = "kind of weights";
  static constexpr Choice<WeightKind> kAll[] = {
      {"none", WeightKind::none}, {"u32", WeightKind::u32}, {"f32", WeightKind::f32}, {"u64", WeightKind::u64}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Compressed sparse rows: the neighbours of v are neighbours[offsets[v] .. offsets[v+1]).
///
/// Parallel arcs and self loops are allowed and count. Lists need not be sorted.
struct Csr {
  Column<EdgeId> offsets;         ///< n+1 values, non-decreasing, the first 0, the last m.
  Column<VertexId> neighbours;    ///< m vertex ids, each below n.
  Column<std::uint32_t> weights;  ///< m words, or empty. What they hold: Graph::weight_kind.
  Column<VertexId> records = {};  ///< add_records(): m pairs of neighbour and weight, each list sorted by weight; or empty
  packed::Columns packed = {};    ///< the lists packed; then neighbours and weights may be empty. Or empty

  VertexId num_vertices() const { return offsets.empty() ? 0 : static_cast<VertexId>(offsets.size() - 1); }
  EdgeId num_edges() const { return packed.empty() ? neighbours.size() : packed.num_edges; }
  EdgeId degree(VertexId v) const { return offsets[v + 1] - offsets[v]; }
};

/// A piece of a list that was cut: edges [begin, min(begin + chunk_edges, end of the list)).
struct HubChunk {
  EdgeId begin;
  std::uint64_t vertex;
  bool operator==(const HubChunk&) const = default;
};

/// Balanced CSR's table of pieces of out-lists longer than `chunk_edges`, in the order of the edge list. See rows.hpp.
struct HubTable {
  EdgeId chunk_edges = 0;  ///< 0: no table
  Column<HubChunk> chunks;
};

/// Statistics of weights, for automatic choices.
struct WeightStats {
  static constexpr std::size_t kQuantiles = 64;
  double smallest = 0;
  double largest = 0;
  double mean = 0;
  /// Borders of kQuantiles parts of equally many weights, ascending, from the smallest weight to the largest; all 0 in reports of
  /// servers.
  std::array<double, kQuantiles + 1> quantiles = {};
  bool operator==(const WeightStats&) const = default;
};

/// A directed graph and, when it was built, its transpose. An undirected graph is one whose arcs all have their
/// opposite (`symmetric`); it is its own transpose.
struct Graph {
  std::string name;              ///< file name or generator, for results
  Csr out;                       ///< arcs u -> v stored at u
  std::optional<Csr> in;         ///< arcs u -> v stored at v, without weights; absent when symmetric or not built
  std::optional<Csr> by_target;  ///< the same as records alone; absent when there are none, or `out` has the same ones
  bool symmetric = false;
  bool hub_first = false;  ///< every out-list is in descending order of the neighbours' out-degrees
  WeightKind weight_kind = WeightKind::none;
  /// u64: distinct weights, ascending; words of weights and records are indices into it. It may hold weights that no arc has.
  Column<std::uint64_t> weight_table;
  VertexNames names;                        ///< what the input calls each vertex
  std::vector<std::string> assumptions;     ///< what the reader left out or assumed, a sentence each: it warned of all
  HubTable hub_table;                       ///< cut lists for one size of chunk, where the file holds them
  std::optional<WeightStats> weight_stats;  ///< of out.weights, where they were measured with the records
  std::uint64_t file_checksum = 0;          ///< of a .grf with all its sections; 0: read from something else

  VertexId num_vertices() const { return out.num_vertices(); }
  EdgeId num_edges() const { return out.num_edges(); }
  /// Returns the weight of a word of kind u32 or u64. Throws DataError for a word that is no index into the table.
  std::uint64_t whole_weight(std::uint32_t word) const;
  /// Returns the weight of a word of any kind; for u64 the nearest double.
  double weight_of(std::uint32_t word) const;
  /// Returns the weight of a word as text, with all its digits.
  std::string weight_text(std::uint32_t word) const;
  /// Returns whether add_records() was called, or the file holds its results.
  bool has_records() const { return weight_stats.has_value(); }
  /// Returns the in-neighbours of every vertex; null when the graph is directed and the transpose was not built.
  const Csr* transpose() const { return symmetric ? &out : in ? &*in : nullptr; }
  /// Returns the vertex of largest out-degree, the smallest id on ties. Reads all offsets. Precondition: at least one vertex.
  VertexId max_degree_vertex() const;
};

/// Throws DataError, naming `where`, unless offsets rise from 0 to the number of edges. Reads all offsets.
void check_offsets(const Csr& csr, const std::string& where, ThreadPool& pool, const Workspace& space = {});

/// Throws UsageError where a graph has only packed lists.
void require_lists(const Csr& csr);

/// Throws DataError, naming `where`, unless u64 weights of graph.out are indices into an ascending table. Reads all of both, but
/// no packed weights.
void check_weight_table(const Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space = {});

/// Throws DataError, naming `where`, unless each chunk of the stored table begins in the list of its vertex.
void check_hub_table(const Graph& graph, const std::string& where);

/// Throws DataError, naming `where`, unless offsets and neighbours fit together as Csr says. Reads all of both.
void check_csr(const Csr& csr, const std::string& where, ThreadPool& pool, const Workspace& space = {});

/// Returns whether every arc has its opposite, as often as the arc itself. Compares 64-bit hashes of the multisets of arcs and of
/// reversed arcs: a wrong "true" has a probability of about 2^-64. One pass, no memory.
bool has_all_opposites(const Csr& csr, ThreadPool& pool, const Workspace& space = {});

/// Returns whether `reversed` has the arcs of `csr` reversed, by hashes as has_all_opposites() does.
bool is_transpose(const Csr& csr, const Csr& reversed, ThreadPool& pool, const Workspace& space = {});

/// Returns the vertex of largest out-degree, the smallest id on ties. Precondition: at least one vertex.
VertexId max_degree_vertex(const Csr& csr, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
