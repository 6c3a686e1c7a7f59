// SPDX-License-Identifier: Apache-2.0
// From a list of arcs to a Graph, on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun {

/// How parallel arcs, with the same source and target, are merged. Without weights all but `keep` are the same.
enum class MergeRule {
  keep,  ///< all stay
  min,   ///< one, of the smallest weight
  max,   ///< one, of the largest weight
  sum,   ///< one, of the sum of weights, which must fit their kind; f32: summed as f64, from the smallest on
  first  ///< one, of the weight that comes first in the input
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// How entries of an EdgeList stand for arcs.
enum class Arcs {
  directed,  ///< an entry is one arc
  mirror,    ///< an entry is an undirected edge, listed once: the builder adds the opposite arc (a self loop stays one arc)
  mirrored,  ///< an entry is one arc and its opposite is listed as well
};

/// Entries in any order, from text readers and generators.
struct EdgeList {
  VertexId num_vertices = 0;
  Column<VertexId> sources;
  Column<VertexId> targets;
  Column<std::uint32_t> weights;            ///< one word an arc, or empty
  Column<std::uint64_t> wide_weights = {};  ///< u64 in place of `weights`, before they are encoded
  Column<std::uint64_t> weight_table = {};  ///< u64, and `weights` are encoded: Graph::weight_table
  WeightKind weight_kind = WeightKind::none;
  Arcs arcs = Arcs::directed;

  /// Allocates `entries` entries, with weights where weight_kind says so: u64 before they are encoded.
  void allocate(std::size_t entries) {
    sources = Column<VertexId>::allocate(entries);
    targets = Column<VertexId>::allocate(entries);
    const bool wide = weight_kind == WeightKind::u64;
    wide_weights = wide ? Column<std::uint64_t>::allocate(entries) : Column<std::uint64_t>{};
    weights = wide || weight_kind == WeightKind::none ? Column<std::uint32_t>{} : Column<std::uint32_t>::allocate(entries);
  }
  /// Returns the bits of weight i, of any kind; 0 without weights. Equal weights have equal bits.
  std::uint64_t weight_bits(std::size_t i) const {
    return !wide_weights.empty() ? wide_weights[i] : weights.empty() ? 0 : weights[i];
  }
};

struct BuildOptions {
  bool symmetrise = false;  ///< take Arcs::directed as Arcs::mirror
  bool drop_self_loops = false;
  MergeRule merge = MergeRule::keep;
  bool sort_lists = true;  ///< ascending neighbour ids; always where arcs are merged
};

/// A check that entries list both directions of every edge, as often and with the same weight. It compares hashes, as
/// has_all_opposites does. Batches come in any order.
class DirectionBalance {
 public:
  void add(const EdgeList& batch, ThreadPool& pool);
  bool holds() const { return imbalance_ == 0; }

 private:
  std::uint64_t imbalance_ = 0;  ///< hash of the entries minus the reversed ones'
};

/// Returns whether a graph is symmetric and, where it has weights, both directions of every edge weigh the same.
bool is_balanced(const Graph& graph, ThreadPool& pool, const Workspace& space = {});

/// Builds a graph and consumes `edges`. The result does not depend on the number of threads when lists are sorted or arcs merged;
/// parallel arcs keep the order of (id, weight). Throws DataError when an id is not below num_vertices, and when a sum of weights
/// does not fit.
Graph build_graph(EdgeList&& edges, const BuildOptions& options, ThreadPool& pool, const Workspace& space = {});

/// Builds a graph larger than memory, in scratch files, from entries that come in batches. `space` is on disk.
class GraphBuilder {
 public:
  /// Refers to the workspace, which outlives it.
  GraphBuilder(const BuildOptions& options, const Workspace& space, ThreadPool& pool);
  ~GraphBuilder();
  /// Adds a batch; the first one sets the number of vertices and the kinds of entries and weights. Returns false, and adds
  /// nothing, when weights are of another kind. u64 weights come encoded, all by the same table.
  bool add(EdgeList&& batch);
  /// Returns the graph; without any batch, a graph without vertices.
  Graph finish();

 private:
  struct Rows;
  BuildOptions options_;
  const Workspace& space_;
  ThreadPool& pool_;
  std::unique_ptr<Rows> rows_;
};

/// Builds a graph anew with `options`, as build_graph does; the transpose is dropped. A symmetric graph stays symmetric.
Graph rebuild(Graph&& graph, const BuildOptions& options, ThreadPool& pool, const Workspace& space = {});

/// Returns the arcs reversed, without weights. Lists ascend, also where lists of `csr` do not.
Csr transpose(const Csr& csr, ThreadPool& pool, const Workspace& space = {});

/// Returns the arcs reversed with their weights; lists ascend by id and, among parallel arcs, by weight.
Csr transpose_with_weights(const Csr& csr, WeightKind kind, const Workspace& space, ThreadPool& pool);

/// Sorts every out-list by descending out-degree of the neighbours, smaller ids first on ties: searches that stop at the first
/// hit then find it early. Takes 8 bytes a vertex beside the lists.
void put_hubs_first(Graph& graph, ThreadPool& pool, const Workspace& space = {});

/// Returns whether every list of `csr` is in the order that put_hubs_first makes, parallel arcs aside.
bool is_hub_first(const Csr& csr, ThreadPool& pool, const Workspace& space = {});

/// An order in which vertices are numbered.
enum class VertexOrder {
  as_read,
  degree,  ///< descending out-degree
  score,   ///< descending score by walk_scores() from anywhere: rows of features that samples read often come first
};

/// Renames vertices in such an order, smaller ids first on ties; they keep their names, lists ascend and the transpose is dropped
/// (Min, dissertation, section 4.2.2). Takes 24 bytes a vertex beside the arcs, and the bytes of names that are strings.
Graph relabel(Graph&& graph, VertexOrder order, ThreadPool& pool, const Workspace& space = {});

/// A source of edge weights.
struct WeightSource {
  enum class Kind { file, unit, random, truth };
  Kind kind = Kind::file;
  std::uint64_t seed = 1;    ///< random
  std::uint32_t low = 1;     ///< random: smallest weight
  std::uint32_t high = 255;  ///< random: largest weight (1..255 is GAP's rule)

  bool operator==(const WeightSource&) const = default;
};

/// Parses "file", "unit", "truth", "random" (seed 1), "random:SEED" or "random:SEED:LOW:HIGH". Throws UsageError.
WeightSource parse_weight_source(const std::string& text);
inline constexpr std::string_view kWeightForms[] = {"file", "unit", "truth", "random", "random:SEED", "random:SEED:LOW:HIGH"};

/// Gives graph.out the weights that `source` says (graph.in never carries any).
///
/// - file: keep what was read; UsageError when nothing was.
/// - unit: 1 an arc.
/// - random: low + hash(seed, min(u,v), max(u,v)) mod (high-low+1), so that both directions of an edge agree. The hash
///   is splitmix64 over the three words.
/// - truth: 1 + ((u*2654435761 + v*40503) mod 64) in 64-bit arithmetic, which differs between directions.
void assign_weights(Graph& graph, const WeightSource& source, ThreadPool& pool, const Workspace& space = {});

/// Gives graph.out u64 weights, one an arc. Throws DataError where more than 2^32 of them are different.
void take_wide_weights(Graph& graph, Column<std::uint64_t>&& weights, ThreadPool& pool);

/// Makes the records of graph.out and, unless each arc has an opposite of the same weight, records of the reversed arcs
/// (graph.by_target): 2 words of VertexId an arc each. Measures weights (graph.weight_stats). The rest of the graph stays.
/// Precondition: weights that check_weights_nonnegative() accepts.
void add_records(Graph& graph, ThreadPool& pool, const Workspace& space = {});
/// Does the same, but for the contents of graph.out.records. Returns a function that fills them in, once, on any thread, and
/// throws as add_records(). `pool` must outlive it, and has no other user meanwhile.
std::function<void()> begin_records(Graph& graph, ThreadPool& pool, const Workspace& space);
/// Returns an upper bound of the peak memory of add_records() in bytes. `both_ways`: also for the reversed arcs.
std::uint64_t records_peak_bytes(std::uint64_t vertices, std::uint64_t arcs, bool both_ways);
/// Returns the bytes that the records keep in memory.
std::uint64_t records_bytes(std::uint64_t vertices, std::uint64_t arcs, bool both_ways);
/// Drops the results of add_records().
void drop_records(Graph& graph);
/// Throws DataError, naming `where`, unless records hold the arcs with their weights, each list sorted by weight. Compares arcs
/// as has_all_opposites() does.
void check_records(const Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space = {});

/// Measures up to a million evenly spaced weights of graph.out, and quantiles of a part of these. The result is the same with any
/// number of threads.
WeightStats measure_weights(const Graph& graph);

/// Throws UsageError when a weight is negative, infinite or not a number: shortest paths are undefined or need another algorithm,
/// and nothing can be drawn by it.
void check_weights_nonnegative(const Graph& graph, ThreadPool& pool, const Workspace& space = {});

}  // namespace graphrun::inline GR_IDS
