// SPDX-License-Identifier: Apache-2.0
// Random walks, uniform, by weight, or biased as node2vec's (Grover and Leskovec, KDD 2016, section 3.2). All walkers take a step
// before any takes the next, and a step reads lists in about their order, as LightTraffic's partitions (ICDE 2023). A
// walk is a pure function of the graph, the options and its number, independent of threads, ranks, device and backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

struct WalksOptions {
  std::vector<std::uint64_t> sources = {};  ///< distinct vertices, of the command line in ascending order; empty: all vertices
  std::uint64_t length = 80;                ///< steps
  std::uint64_t per_source = 1;             ///< walks from each source, at least 1
  double p = 1;                             ///< node2vec's: 1/p is the bias to the vertex before
  double q = 1;                             ///< 1/q is the bias to vertices to which the vertex before has no edge
  std::uint64_t seed = 1;
  bool weighted = false;  ///< edges are drawn by weight, finite and not negative

  bool biased() const { return p != 1 || q != 1; }
};

/// The decision for which a random word is drawn.
enum class WalkDraw : std::uint64_t { edge, acceptance };

/// Returns the random word of a walk's step at its `trial`-th candidate.
GR_HD constexpr std::uint64_t walk_word(std::uint64_t seed, std::uint64_t walk, std::uint64_t step, std::uint64_t trial,
                                        WalkDraw what) {
  return splitmix64(splitmix64(seed, walk, step), trial, static_cast<std::uint64_t>(what));
}

}  // namespace graphrun

namespace graphrun::walks::inline GR_IDS {
struct Pieces;
struct Walkers;
}  // namespace graphrun::walks::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// The walks. Walk i begins at the source with index i / per_source in WalksOptions::sources.
struct WalksOutput {
  std::size_t walks = 0;
  std::uint64_t length = 0;           ///< steps of each
  std::vector<VertexId> vertices;     ///< step by step, of all walks each: see VertexTable
  std::vector<std::uint64_t> visits;  ///< of each vertex, also as a start
  std::uint64_t steps = 0;
  std::uint64_t dead_ends = 0;  ///< walks that ended early
};
void describe(const WalksOutput& output, AnswerData& answer);

/// The state of walks over one graph, reused by each run(). Takes length + 1 ids a walk, and 48 bytes; biased 88 and four ids, by
/// weight 16 more a candidate. By weight a vertex takes 32 bytes more, and each 256 edges 16. Each of several ranks holds all.
template <class Exec, class View>
class WalksRun {
 public:
  /// Throws UsageError for a source that is no vertex, 0 or too many walks, and walks by weight where `weights` is none.
  WalksRun(Exec& exec, const GraphView<View>& graph, WeightKind weights, const WalksOptions& options);

  /// Takes all steps: the timed region. Throws UsageError for weighted walks over several ranks. For biased walks the constructor
  /// has read all edges, and throws UsageError when a list does not ascend.
  AlgoStats run();
  WalksOutput output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  void require_ascending_lists();
  void sum_weights();
  template <class Keep>
  std::uint64_t keep(const Keep& keep, const Array<EdgeId>& from, std::uint64_t count, Array<EdgeId>& to);
  void pick(const walks::Walkers& walkers, std::uint64_t count);
  void judge(const walks::Walkers& walkers, std::uint64_t count);
  void take_step(std::uint64_t step);
  walks::Pieces pieces();

  Exec& exec_;
  GraphView<View> graph_;
  WeightKind weights_;
  WalksOptions options_;
  std::size_t walks_;
  AlgoStats stats_;
  std::uint64_t alive_count_ = 0;
  Array<VertexId> sources_;
  Array<VertexId> vertices_;    // step by step
  Array<EdgeId> alive_;         // walks that did not end
  Array<EdgeId> pending_;       // walks without this step
  Array<EdgeId> next_;          // of either
  Array<EdgeId> places_;        // of kept walks, or of look-ups
  Array<WorkItem> items_;       // of each candidate: its edge, or the piece that has it
  Array<VertexId> candidates_;  // biased: the ends of these edges
  Array<VertexId> adjacent_;    // biased: whether the vertex before has an edge to it
  Array<WorkItem> asked_;       // biased: the pieces of a pass of look-ups, at most walks::kItemsAtOnce
  Array<EdgeId> askers_;        // biased: the candidate of each
  Array<EdgeId> edges_;         // by weight: the drawn edges
  Array<std::uint64_t> left_;   // by weight: of the number drawn
  Array<EdgeId> piece_starts_;  // by weight: of each vertex, among the pieces of lists
  Array<double> scales_;        // by weight: see walks::scale_of()
  Array<std::uint64_t> sums_;   // by weight: of each piece, up to its end from the list's beginning
  Array<std::uint64_t> visits_;
};

}  // namespace graphrun::inline GR_IDS
