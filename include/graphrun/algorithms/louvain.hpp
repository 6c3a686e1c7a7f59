// SPDX-License-Identifier: Apache-2.0
// Communities of large modularity by Louvain's method (Blondel, Guillaume, Lambiotte and Lefebvre, Journal of Statistical
// Mechanics 2008, P10008), with refinement (Rotta and Noack, Journal of Experimental Algorithmics 16, 2011).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/label_table.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

struct LouvainOptions {
  double resolution = 1;  ///< factor of the expected weight within communities; larger: smaller communities
  bool weighted = false;  ///< edges count by their weights
};

}  // namespace graphrun

namespace graphrun::louvain::inline GR_IDS {

/// A community next to a vertex, and the weight between them.
struct Slot {
  VertexId label;
  std::uint64_t count;
};

/// Best move of a vertex with a long table, at its first piece.
struct LongMove {
  double gain;
  std::uint64_t own;  ///< weight to its own community
};

/// Progress of a round: sweeps over vertices, then joins of communities. Saved as it is.
struct Round {
  std::uint64_t number = 0;
  std::uint64_t starts = 1;  ///< rounds up to this one that began with a community a vertex
  std::uint64_t sweeps = 0;
  EdgeId last_moved = std::numeric_limits<EdgeId>::max();  ///< edges of the vertices that moved in the last sweep
  std::uint64_t goes_on = 1;
  std::uint64_t levels = 0;                               ///< since the last start
  double before = std::numeric_limits<double>::lowest();  ///< modularity when the round began, unless with vertices alone
  double best_modularity = std::numeric_limits<double>::lowest();  ///< of all rounds before
  std::uint64_t best_levels = 0;
};

struct VertexTables;
struct Communities;
struct Pair;

}  // namespace graphrun::louvain::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Q = sum over communities of (weight within / all - resolution * (degrees / all)^2), where `all` is twice the weight of the
/// edges, an edge within counts twice, and so does a self loop, also in its vertex's degree. 0 for a graph without weight.
struct LouvainOutput {
  std::vector<VertexId> labels;  ///< the smallest vertex of the community
  double modularity = 0;
  std::uint64_t levels = 0;  ///< graphs whose vertices moved, round by round: the input, then graphs of communities
};
void describe(const LouvainOutput& output, AnswerData& answer);

/// Takes 32 bytes a vertex (44 with 64-bit ids), two frontiers, and tables of 24 bytes an edge for a sixteenth of the edges. Then
/// the graph of communities is in the memory of the host: 12 bytes (16) for each pair of neighbouring communities and direction.
template <class Exec, class View>
class LouvainRun {
 public:
  /// `graph` is symmetric. `weights`: of the view's edges, where the run is weighted.
  LouvainRun(Exec& exec, const GraphView<View>& graph, const LouvainOptions& options, WeightKind weights);

  /// The timed region. Call once: it frees its arrays. Throws UsageError when an edge weighs otherwise in the other direction.
  AlgoStats run();
  LouvainOutput output() { return output_; }

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  /// Pushes by make(weights), a functor for the run's kind of weights.
  template <class Make>
  void push(FrontierOf<Exec>& frontier, const Make& make);
  /// Sums the weights at each vertex, in units that make all sums exact.
  void weigh();
  void make_tables();
  louvain::VertexTables tables() const;
  /// Offers another community to the active vertices of a part and a half of the graph. Returns the edges of all that moved.
  EdgeId move_some(std::uint64_t part, std::uint64_t half);
  /// Moves vertices between communities in sweeps until few move.
  template <class State>
  void move_vertices(State& state);
  /// Returns the graph of the communities, which get numbers in the order of their first vertices.
  louvain::Communities sum_communities(std::vector<VertexId>& numbers);
  /// Replaces `pairs` by those in the tables of communities [first, last), and empties the tables.
  void read_tables(const std::vector<EdgeId>& begins, VertexId first, VertexId last, std::vector<louvain::Pair>& pairs);
  /// Returns the modularity of a community a vertex.
  double modularity_alone();
  /// Sums and joins the communities of a round.
  LouvainOutput join();
  /// Begins the round after one that found this. Returns false after the last one.
  bool begin_next(const LouvainOutput& found);

  Exec& exec_;
  GraphView<View> graph_;
  LouvainOptions options_;
  WeightKind weights_;
  double scale_ = 1;         // units of a weight of 1
  std::uint64_t total_ = 0;  // units at all vertices
  std::uint64_t loops_ = 0;  // of these at both ends of self loops
  int tile_shift_ = 0;       // of ids; a tile of vertices is of one part
  Array<std::uint64_t> degrees_;
  Array<std::uint64_t> totals_;  // of the degrees in each community
  Array<VertexId> labels_;       // a vertex of the community; numbers while communities are summed
  Array<VertexId> best_;         // labels of the best round
  Array<VertexId> next_;
  Array<std::uint32_t> states_;
  Array<EdgeId> bases_;  // of each tile's tables, in its part's
  Array<louvain::Slot> slots_;
  Array<TablePiece> pieces_;
  Array<louvain::LongMove> long_moves_;
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> moved_;
  FrontierOf<Exec> none_;
  louvain::Round round_;
  AlgoStats stats_;
  LouvainOutput output_;
};

}  // namespace graphrun::inline GR_IDS
